import type { ObjectName } from './kube-object.ts'

/** A resource of the API server: what a URL and an `apiVersion` are made of. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** As in the URL: lower-case, plural. */
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

export const SECRETS = core('secrets', 'Secret')
export const NAMESPACES = core('namespaces', 'Namespace', false)
export const PODS = core('pods', 'Pod')
export const CONFIG_MAPS = core('configmaps', 'ConfigMap')
export const JOBS = define('batch', 'v1', 'jobs', 'Job')
export const DEPLOYMENTS = define('apps', 'v1', 'deployments', 'Deployment')
export const LEASES = define('coordination.k8s.io', 'v1', 'leases', 'Lease')
export const EVENTS = define('events.k8s.io', 'v1', 'events', 'Event')
export const TOKEN_REVIEWS = define('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false)
export const CUSTOM_RESOURCE_DEFINITIONS = define(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
)
export const MUTATING_WEBHOOK_CONFIGURATIONS = define(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  false,
)
export const SERVICE_ACCOUNTS = core('serviceaccounts', 'ServiceAccount')
export const ROLES = rbac('roles', 'Role')
export const ROLE_BINDINGS = rbac('rolebindings', 'RoleBinding')
export const CLUSTER_ROLES = rbac('clusterroles', 'ClusterRole', false)
export const CLUSTER_ROLE_BINDINGS = rbac('clusterrolebindings', 'ClusterRoleBinding', false)
export const PROVIDERS = define('tollgate.dev', 'v1alpha1', 'providers', 'Provider', false)
export const ORGANIZATIONS = define('tollgate.dev', 'v1alpha1', 'organizations', 'Organization', false)
export const VIRTUAL_KEYS = define('tollgate.dev', 'v1alpha1', 'virtualkeys', 'VirtualKey')

/** `group/version`, or `version` in the core group. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`
}

/** Path of all objects of `resource`: in one namespace, or in the whole cluster where none is given. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  if (namespace === undefined) return `${root}/${resource.plural}`
  if (!resource.namespaced) throw new TypeError(`${resource.plural} have no namespace, got ${namespace}`)
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${resource.plural}`
}

/** Path of one object, or of its `subresource`. */
export function objectPath(resource: Resource, { namespace, name }: ObjectName, subresource?: string): string {
  if (resource.namespaced && namespace === undefined)
    throw new TypeError(`${resource.plural} need a namespace: ${name}`)
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

function core(plural: string, kind: string, namespaced = true): Resource {
  return define('', 'v1', plural, kind, namespaced)
}

function rbac(plural: string, kind: string, namespaced = true): Resource {
  return define('rbac.authorization.k8s.io', 'v1', plural, kind, namespaced)
}

function define(group: string, version: string, plural: string, kind: string, namespaced = true): Resource {
  return Object.freeze({ group, version, plural, kind, namespaced })
}
