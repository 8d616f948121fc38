/** Where the audit records of an organization are in Redis: one stream, in the hash slot of its quotas. */

/** The stream's field that holds the record as JSON. */
export const RECORD_FIELD = 'record'

/** Names are encoded, so that none can hold a brace or a colon. */
export function auditStreamKey(organization: string): string {
  return `tg:audit:{${encodeURIComponent(organization)}}`
}
