{{- define "tollgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/*
Prefix of all names. 40 characters leave room for the longest suffix within the 63 of a label. A Service's name has no dots, which
a release's may have.
*/}}
{{- define "tollgate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Call with (dict "root" $ "component" "operator"), and "more" labels of this object alone. What users state wins, and each name stands
once: YAML in which one stands twice is refused by kustomize and others.
*/}}
{{- define "tollgate.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- $known := include "tollgate.selectorLabels" . | fromYaml -}}
{{- $about := dict "version" .root.Chart.AppVersion "managed-by" .root.Release.Service "part-of" "tollgate" -}}
{{- range $name, $value := $about -}}{{- $_ := set $known (printf "app.kubernetes.io/%s" $name) $value -}}{{- end -}}
{{- $_ := set $known "helm.sh/chart" $chart -}}
{{- merge (dict) (.more | default dict) (.root.Values.commonLabels | default dict) $known | toYaml -}}
{{- end -}}

{{/* Names of labels by which the chart's own objects, and Helm, know them. */}}
{{- define "tollgate.reservedLabels" -}}
{{- range list "name" "instance" "component" "managed-by" }}app.kubernetes.io/{{ . }} {{ end -}}
{{- end -}}

{{- define "tollgate.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tollgate.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Registry and repository of the image, without tag: what the admission policies compare with. */}}
{{- define "tollgate.repository" -}}
{{- with .Values.image -}}{{- if .registry -}}{{ .registry }}/{{- end -}}{{ .repository }}{{- end -}}
{{- end -}}

{{- define "tollgate.image" -}}
{{- include "tollgate.repository" . -}}
{{- if .Values.image.digest -}}@{{ .Values.image.digest }}{{- else -}}:{{ default .Chart.AppVersion .Values.image.tag }}{{- end -}}
{{- end -}}

{{- define "tollgate.redisImage" -}}
{{- with .Values.redis.bundled.image -}}
{{- if .registry -}}{{ .registry }}/{{- end -}}{{ .repository }}
{{- if .digest -}}@{{ .digest }}{{- else -}}:{{ .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (printf "%s-operator" (include "tollgate.fullname" .)) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "tollgate.operatorAddress" -}}
{{ include "tollgate.fullname" . }}-operator.{{ .Release.Namespace }}.svc:8443
{{- end -}}

{{- define "tollgate.redisUrl" -}}
{{- if .Values.redis.bundled.enabled -}}
redis://{{ include "tollgate.fullname" . }}-redis.{{ .Release.Namespace }}.svc:6379
{{- else -}}
{{ .Values.redis.external.url }}
{{- end -}}
{{- end -}}

{{/* Ports of an external Redis, as a JSON list: those of its address; behind Sentinels also the usual one of the servers they name. */}}
{{- define "tollgate.redisPorts" -}}
{{- /* Not urlParse: a list of hosts of which the last has no port is no address to it. */ -}}
{{- $parts := splitList "://" .Values.redis.external.url -}}
{{- $sentinel := hasSuffix "+sentinel" (first $parts) -}}
{{- $hosts := regexFind "^[^/?#]*" (last $parts) -}}
{{- $ports := list -}}
{{- range splitList "," $hosts -}}
{{- $ports = append $ports (regexFind "[0-9]+$" (regexFind ":[0-9]+$" .) | default (ternary "26379" "6379" $sentinel) | int) -}}
{{- end -}}
{{- if $sentinel -}}{{- $ports = append $ports 6379 -}}{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{/* Secret with Redis's login; empty where Redis has none. */}}
{{- define "tollgate.redisSecret" -}}
{{- if .Values.redis.bundled.enabled -}}
{{- default (printf "%s-redis" (include "tollgate.fullname" .)) .Values.redis.bundled.existingSecret -}}
{{- else -}}
{{ .Values.redis.external.existingSecret }}
{{- end -}}
{{- end -}}

{{- define "tollgate.tlsSecret" -}}
{{- if .Values.webhook.existingSecret -}}
{{ .Values.webhook.existingSecret }}
{{- else if .Values.webhook.certManager.enabled -}}
{{ include "tollgate.fullname" . }}-tls
{{- end -}}
{{- end -}}

{{/* Namespaces that are never injected, the release's own last, each once. */}}
{{- define "tollgate.excludedNamespaces" -}}
{{- append (.Values.injection.excludeNamespaces | default list) .Release.Namespace | uniq | toJson -}}
{{- end -}}

{{/* The settings of pods that this chart runs beside the operator: hooks and `helm test`. */}}
{{- define "tollgate.toolPod" -}}
serviceAccountName: {{ .serviceAccountName | quote }}
restartPolicy: Never
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- toYaml .root.Values.operator.podSecurityContext | nindent 2 }}
{{- with .root.Values.operator.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.operator.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "tollgate.toolContainer" -}}
image: {{ include "tollgate.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext: {{- toYaml .root.Values.operator.securityContext | nindent 2 }}
resources: {{- toYaml .root.Values.hooks.resources | nindent 2 }}
terminationMessagePolicy: FallbackToLogsOnError
{{- end -}}

{{/* Annotations of accounts and roles that exist only while a hook runs. Call with the hook. */}}
{{- define "tollgate.hookRights" -}}
helm.sh/hook: {{ . }}
helm.sh/hook-weight: "-10"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end -}}

{{/* Says "yes" where an object of the Prometheus operator is to be rendered; fails where it must be and cannot. */}}
{{- define "tollgate.renderMonitoring" -}}
{{- if .settings.enabled -}}
{{- $known := .root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" .kind) -}}
{{- if or $known (eq .settings.renderMode "alwaysRender") -}}yes
{{- else if eq .settings.renderMode "failIfMissing" -}}
{{- fail (printf "the cluster has no %s of monitoring.coreos.com/v1; install the Prometheus operator, or set renderMode to skipIfMissing" .kind) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A quantity of Kubernetes, such as 96Mi, 0.5 or 500m, as a number. Thousandths by division: only so are 700m and 0.7 the same. */}}
{{- define "tollgate.quantity" -}}
{{- $text := include "tollgate.quantityText" . -}}
{{- $unit := regexFind "[A-Za-z]+$" $text -}}
{{- $number := trimSuffix $unit $text | float64 -}}
{{- $decimal := dict "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 -}}
{{- $binary := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- if eq $unit "m" -}}{{- divf $number 1000 -}}
{{- else -}}{{- mulf $number (get (merge $decimal $binary) $unit | default 1) -}}{{- end -}}
{{- end -}}

{{/* As it was written: Helm reads numbers as floating-point ones, which it would write as 2.68435456e+08. */}}
{{- define "tollgate.quantityText" -}}
{{- if kindIs "string" . -}}{{- . -}}{{- else -}}{{- toJson . -}}{{- end -}}
{{- end -}}

{{/* Call with (dict "name" "sidecar.resources" "resources" .Values.sidecar.resources): Kubernetes refuses pods whose requests are above their limits. */}}
{{- define "tollgate.checkResources" -}}
{{- $name := .name -}}
{{- $limits := (.resources | default dict).limits | default dict -}}
{{- range $resource, $request := (.resources | default dict).requests -}}
{{- if hasKey $limits $resource -}}
{{- $limit := get $limits $resource -}}
{{- if gt (include "tollgate.quantity" $request | float64) (include "tollgate.quantity" $limit | float64) -}}
{{- $above := printf "%s.requests.%s (%s)" $name $resource (include "tollgate.quantityText" $request) -}}
{{- fail (printf "%s is above %s.limits.%s (%s)" $above $name $resource (include "tollgate.quantityText" $limit)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Of a duration with one unit, as values.schema.json takes it. */}}
{{- define "tollgate.milliseconds" -}}
{{- mul (regexFind "^[0-9]+" . | int64) (get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000) (regexFind "[a-z]+$" .)) -}}
{{- end -}}

{{/* Takes name and url, of a Redis. */}}
{{- define "tollgate.checkPorts" -}}
{{- $hosts := regexFind "^[^/?#]*" (last (splitList "://" (.url | default ""))) -}}
{{- range splitList "," $hosts -}}
{{- $port := regexFind ":[0-9]+$" . | trimPrefix ":" -}}
{{- if and $port (or (gt (len $port) 5) (eq (atoi $port) 0) (gt (atoi $port) 65535)) -}}
{{- fail (printf "%s has the port %s: ports are from 1 to 65535" $.name $port) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What the schema cannot say. */}}
{{- define "tollgate.check" -}}
{{- if not (regexMatch "^[a-z]" (include "tollgate.fullname" .)) -}}
{{- fail (printf "a Service's name begins with a letter, and this release's would be %s-operator: set fullnameOverride" (include "tollgate.fullname" .)) -}}
{{- end -}}
{{- if and .Values.webhook.certManager.enabled .Values.webhook.existingSecret -}}
{{- fail "webhook.certManager.enabled and webhook.existingSecret exclude each other" -}}
{{- end -}}
{{- if has .Release.Namespace (.Values.namespaces | default list) -}}
{{- fail (printf "namespaces may not contain %s: the operator has its rights there already" .Release.Namespace) -}}
{{- end -}}
{{- if and (has "Deny" .Values.admissionPolicies.validationActions) (has "Warn" .Values.admissionPolicies.validationActions) -}}
{{- fail "admissionPolicies.validationActions may not have Deny and Warn together" -}}
{{- end -}}
{{- with .Values.webhook.certManager -}}
{{- if and .enabled (le (include "tollgate.milliseconds" .duration | int64) (include "tollgate.milliseconds" .renewBefore | int64)) -}}
{{- fail "webhook.certManager.renewBefore must be shorter than duration: cert-manager refuses the certificates otherwise" -}}
{{- end -}}
{{- end -}}
{{- if eq (int .Values.sidecar.dataPort) (int .Values.sidecar.adminPort) -}}
{{- fail "sidecar.dataPort and sidecar.adminPort must differ" -}}
{{- end -}}
{{- range splitList " " (include "tollgate.reservedLabels" . | trim) -}}
{{- if or (hasKey ($.Values.commonLabels | default dict) .) (hasKey ($.Values.operator.podLabels | default dict) .) -}}
{{- fail (printf "commonLabels and operator.podLabels may not have %s: the chart's objects are found by it" .) -}}
{{- end -}}
{{- end -}}
{{- include "tollgate.checkPorts" (dict "name" "redis.external.url" "url" .Values.redis.external.url) -}}
{{- include "tollgate.checkPorts" (dict "name" "redis.external.sidecarUrl" "url" .Values.redis.external.sidecarUrl) -}}
{{- include "tollgate.checkResources" (dict "name" "operator.resources" "resources" .Values.operator.resources) -}}
{{- include "tollgate.checkResources" (dict "name" "sidecar.resources" "resources" .Values.sidecar.resources) -}}
{{- include "tollgate.checkResources" (dict "name" "hooks.resources" "resources" .Values.hooks.resources) -}}
{{- include "tollgate.checkResources" (dict "name" "redis.bundled.resources" "resources" .Values.redis.bundled.resources) -}}
{{- with .Values.redis.bundled.image -}}
{{- if not (or .tag .digest) -}}
{{- fail "redis.bundled.image must have a tag or a digest" -}}
{{- end -}}
{{- end -}}
{{- /* Ends with what is wrong, where it is no pattern. */ -}}
{{- $_ := mustRegexMatch (.Values.injection.imagePattern | default "") "" -}}
{{- end -}}
