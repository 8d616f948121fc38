/**
 * One connection to one Redis server, for many calls side by side: commands of one turn of the event loop go out in one
 * write, replies come in the order of the commands. A quarter of the general client's work, of which a proxy needs
 * neither subscriptions nor transactions nor reconnecting (`redis-client.ts` does that).
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { RedisAddress, RedisHost } from './redis-url.ts'
import type { RedisArgument, RedisWire, WireOptions } from './redis-wire.ts'
import { ReplyParser, type Reply } from './reply-parser.ts'

/** Finds out about a peer that is gone without a word. */
const KEEP_ALIVE_MS = 5_000

export type Login = Pick<RedisAddress, 'username' | 'password' | 'database' | 'tls'>

/** Connected and logged in. @throws {Error} where the server refuses; hangs while it is frozen, until `signal` fires */
export async function openServerWire(
  host: RedisHost,
  login: Login,
  options: WireOptions,
  signal: AbortSignal,
): Promise<RedisWire> {
  const wire = new ServerWire(openSocket(host, login, options))
  const destroy = () => wire.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  try {
    await wire.connected(options.connectTimeoutMs)
    await logIn(wire, login)
  } catch (error) {
    wire.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', destroy)
  }
  wire.onLost = options.onLost
  return wire
}

function openSocket({ host, port }: RedisHost, login: Login, { tls }: WireOptions): Socket {
  const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }
  if (!login.tls) return connectTcp(address)
  const { ca, cert, key, serverName } = tls
  const servername = serverName ?? (isIP(host) === 0 ? host : undefined)
  return connectTls({
    ...address,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
  })
}

async function logIn(wire: ServerWire, { username, password, database }: Login): Promise<void> {
  // Not everybody may name himself, and nobody needs it.
  const named = wire.send('', ['CLIENT', 'SETNAME', 'tollgate'], false).catch(() => undefined)
  if (password !== undefined) await wire.send('', ['AUTH', ...(username ? [username] : []), password], false)
  if (database !== 0) await wire.send('', ['SELECT', String(database)], false)
  await named
}

interface Waiting {
  readonly returnBuffers: boolean
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

class ServerWire implements RedisWire {
  onLost: ((cause: Error) => void) | undefined
  readonly #socket: Socket
  readonly #parser: ReplyParser
  /** Calls in the order in which they were sent; those before `#answered` have their reply. */
  #waiting: Waiting[] = []
  #answered = 0
  /** What goes out in this turn. */
  #outgoing = ''
  #outgoingBytes: Buffer[] = []
  #turn: NodeJS.Immediate | undefined
  #lost: Error | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#parser = new ReplyParser({
      wantsBytes: () => this.#waiting[this.#answered]?.returnBuffers === true,
      reply: (reply) => this.#settle(reply),
    })
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(new Error('Redis closed the connection')))
  }

  /** Resolves when commands can be sent. */
  connected(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const event = 'encrypted' in this.#socket ? 'secureConnect' : 'connect'
      const timer = setTimeout(() => this.#end(new Error('no connection to Redis in time')), timeoutMs)
      this.#socket.once(event, () => {
        clearTimeout(timer)
        resolve()
      })
      this.#socket.once('close', () => {
        clearTimeout(timer)
        reject(this.#lost ?? new Error('Redis closed the connection'))
      })
    })
  }

  send(_key: string, args: readonly RedisArgument[], returnBuffers: boolean): Promise<unknown> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    this.#encode(args)
    this.#turn ??= setImmediate(() => this.#flush())
    return new Promise((resolve, reject) => this.#waiting.push({ returnBuffers, resolve, reject }))
  }

  destroy(): void {
    this.onLost = undefined
    this.#end(new Error('the connection to Redis was given up'))
  }

  #encode(args: readonly RedisArgument[]): void {
    let text = `*${args.length}\r\n`
    for (const arg of args) {
      if (typeof arg === 'string') {
        text += `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`
        continue
      }
      this.#outgoingBytes.push(Buffer.from(`${this.#outgoing}${text}$${arg.length}\r\n`), arg)
      this.#outgoing = ''
      text = '\r\n'
    }
    this.#outgoing += text
  }

  #flush(): void {
    this.#turn = undefined
    if (this.#lost !== undefined) return
    const text = this.#outgoing
    const bytes = this.#outgoingBytes
    this.#outgoing = ''
    if (bytes.length === 0) return void this.#socket.write(text)
    this.#outgoingBytes = []
    // One buffer: a list of them costs more to hand to the system than copying it together.
    bytes.push(Buffer.from(text))
    this.#socket.write(Buffer.concat(bytes))
  }

  #read(chunk: Buffer): void {
    try {
      this.#parser.push(chunk)
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error('Redis sent what is no reply'))
    }
  }

  #settle(reply: Reply): void {
    const call = this.#waiting[this.#answered++]
    if (this.#answered === this.#waiting.length) {
      this.#waiting = []
      this.#answered = 0
    }
    if (call === undefined) throw new TypeError('Redis answered what was not asked')
    if (reply instanceof Error) call.reject(reply)
    else call.resolve(reply)
  }

  #end(cause: Error): void {
    if (this.#lost !== undefined) return
    this.#lost = cause
    clearImmediate(this.#turn)
    this.#socket.destroy()
    const calls = this.#waiting.slice(this.#answered)
    this.#waiting = []
    this.#answered = 0
    for (const call of calls) call.reject(cause)
    this.onLost?.(cause)
  }
}
