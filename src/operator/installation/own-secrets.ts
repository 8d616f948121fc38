import { AUTHORITY_SECRET, SERVER_SECRET } from '../certificates/authority-secrets.ts'
import { MASTER_SECRET, SIGNING_SECRET } from '../controllers/installation-secrets.ts'

/** Names of the Secrets that the operator makes for itself, in its own namespace. */
export const OWN_SECRETS: readonly string[] = [MASTER_SECRET, SIGNING_SECRET, AUTHORITY_SECRET, SERVER_SECRET]
