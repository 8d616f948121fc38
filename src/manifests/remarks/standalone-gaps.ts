/** What a VirtualKey states and only a cluster does: good there, and without effect where a standalone gateway reads the same files. */
import type { VirtualKeyResource } from '../../domain/resources/kinds.ts'
import type { ManifestResources } from '../load.ts'
import type { Remark } from './remark.ts'

/** In the order of the manifests. A check cannot know which of the two the files are for. */
export function standaloneGaps(resources: ManifestResources): readonly Remark[] {
  return [...openRestrictions(resources), ...resources.virtualKeys.flatMap(rotation)]
}

/** Of them those by which a standalone gateway lets in whom they should keep out. */
export function openRestrictions({ virtualKeys }: ManifestResources): readonly Remark[] {
  return virtualKeys.flatMap((resource) => {
    if ((resource.spec.access?.serviceAccounts ?? []).length === 0) return []
    const message = 'holds in a cluster only; standalone, whoever has the key may use it'
    return [{ resource, field: ['spec', 'access', 'serviceAccounts'], message }]
  })
}

function rotation(resource: VirtualKeyResource): Remark[] {
  if (resource.spec.key.generated?.rotation === undefined) return []
  const message = 'is done in a cluster only; standalone, the key stays as it is'
  return [{ resource, field: ['spec', 'key', 'generated', 'rotation'], message }]
}
