import t from 'tap'
import { MemoryQuotaStore } from '../../../../src/proxy/stores/memory/memory-quota-store.ts'
import { quotaStoreContract } from '../quota-store-contract.ts'

quotaStoreContract(t, async () => {
  let now = 0
  const store = new MemoryQuotaStore(() => now)
  const setNow = (ms: number) => {
    now = ms
  }
  return { stores: [store, store], setNow }
})
