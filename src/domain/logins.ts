/** Logins of addresses in what is told of the user's words: an address may stand at the wrong place, and a log is kept. */

/** Up to the last `@` before the next address, for a password may have blanks. How a login is written, `://[user:password@]`, is none. */
const OF_ADDRESS = /:\/\/(?!\[user:)(?:(?!:\/\/)[^])*@/g
/** Without a scheme: `user:password@host`. */
const OF_HOST = /(?<![^\s'"`=([,;|])[\w.+%-]{0,64}:[^\s@/]\S{0,256}@(?=[\w[])/g
/** Of Redis Sentinels, and of databases' addresses. */
const OF_QUERY = /([?&](?:sentinel|password)=)(?!user:password\])[^\s&]+/g

/** The same words with `...` for each login. */
export function withoutLogins(message: string): string {
  return message.replaceAll(OF_ADDRESS, '://...@').replaceAll(OF_HOST, '...@').replaceAll(OF_QUERY, '$1...')
}
