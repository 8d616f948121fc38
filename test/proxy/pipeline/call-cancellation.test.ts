import t from 'tap'
import { CallCancellation } from '../../../src/proxy/pipeline/call-cancellation.ts'
import type { Cancellation } from '../../../src/proxy/pipeline/ports.ts'

/** What is here must hold of the platform's own, too, as either is taken. */
const KINDS: readonly { readonly name: string; readonly create: () => { signal: Cancellation; abort(): void } }[] = [
  {
    name: 'CallCancellation',
    create: () => {
      const signal = new CallCancellation()
      return { signal, abort: () => signal.abort() }
    },
  },
  {
    name: 'AbortController',
    create: () => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: () => controller.abort() }
    },
  },
]

for (const { name, create } of KINDS) {
  t.test(`${name} tells functions and objects, once and in their order`, async (t) => {
    const { signal, abort } = create()
    const told: string[] = []
    signal.addEventListener('abort', () => told.push('function'), { once: true })
    signal.addEventListener('abort', { handleEvent: () => void told.push('object') }, { once: true })
    t.equal(signal.aborted, false)
    abort()
    abort()
    t.equal(signal.aborted, true)
    t.strictSame(told, ['function', 'object'])
  })

  t.test(`${name} is aborted when it tells`, async (t) => {
    const { signal, abort } = create()
    let aborted = false
    signal.addEventListener('abort', () => (aborted = signal.aborted), { once: true })
    abort()
    t.equal(aborted, true)
  })

  t.test(`${name} does not tell who has left, or came too late`, async (t) => {
    const { signal, abort } = create()
    const told: string[] = []
    const leaving = () => void told.push('left')
    signal.addEventListener('abort', leaving, { once: true })
    signal.addEventListener('abort', () => void told.push('stays'), { once: true })
    signal.removeEventListener('abort', leaving)
    signal.removeEventListener('abort', leaving)
    abort()
    signal.addEventListener('abort', () => void told.push('late'), { once: true })
    t.strictSame(told, ['stays'])
  })

  t.test(`${name} does not tell whom a listener before has removed`, async (t) => {
    const { signal, abort } = create()
    const told: string[] = []
    const removed = () => void told.push('removed')
    const removing = () => {
      told.push('removing')
      signal.removeEventListener('abort', removed)
      signal.removeEventListener('abort', removing)
    }
    signal.addEventListener('abort', removing, { once: true })
    signal.addEventListener('abort', removed, { once: true })
    signal.addEventListener('abort', () => void told.push('last'), { once: true })
    abort()
    t.strictSame(told, ['removing', 'last'])
  })
}
