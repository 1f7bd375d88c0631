{{- define "name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* The label `job` of the servers in Prometheus. */}}
{{- define "job" -}}
{{ .Values.monitoring.job | default (printf "%s/%s" .Release.Namespace (include "name" .)) }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* The names by which clients from outside the cluster reach the servers. */}}
{{- define "routedNames" -}}
{{- $names := list }}
{{- with .Values.gateway }}{{ if .enabled }}{{ $names = concat $names .hostnames }}{{ end }}{{ end }}
{{- with .Values.ingress }}{{ if .enabled }}{{ $names = concat $names .hosts }}{{ end }}{{ end }}
{{- $names | uniq | toJson }}
{{- end }}

{{- /* The names in certificates that the chart has issued. */}}
{{- define "certificateNames" -}}
{{- $service := include "name" . }}
{{- $namespace := .Release.Namespace }}
{{- $names := list $service (printf "%s.%s" $service $namespace) (printf "%s.%s.svc" $service $namespace) (printf "%s.%s.svc.cluster.local" $service $namespace) }}
{{- concat $names .Values.tls.names (include "routedNames" . | fromJsonArray) | uniq | toJson }}
{{- end }}

{{- /* The Secret with the serving certificate; empty if the servers issue it. */}}
{{- define "tlsSecret" -}}
{{- .Values.tls.secretName | default (ternary (printf "%s-tls" (include "name" .)) "" .Values.tls.certManager.enabled) }}
{{- end }}

{{- define "secretsKeyName" -}}
{{ .Values.secretsKey.secret.name | default (printf "%s-secrets-key" (include "name" .)) }}
{{- end }}

{{- define "madeToken" -}}
{{- with .Values.monitoring.serviceMonitor }}{{ if and .enabled (not .tokenSecret.name) }}true{{ end }}{{ end }}
{{- end }}

{{- define "serviceAccount" -}}
{{ .Values.serviceAccountName | default (include "name" .) }}
{{- end }}

{{- /* The account of pods: the chart's own belongs to the servers. */}}
{{- define "account" -}}
automountServiceAccountToken: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- end }}

{{- define "serverAccount" -}}
{{- if .Values.behindCluster.enabled -}}
automountServiceAccountToken: true
serviceAccountName: {{ include "serviceAccount" . }}
{{- else }}
{{- include "account" . }}
{{- end }}
{{- end }}

{{- /* The parts that all pods have in common. */}}
{{- define "pod" -}}
# The variables of a Service with this name would be read as settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "podLabels" -}}
{{ include "labels" . }}
{{- with .Values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* What a user asks of the nodes of all pods. */}}
{{- define "nodeAffinity" -}}
{{- with .Values.affinity.nodeAffinity -}}
affinity: {{- dict "nodeAffinity" . | toYaml | nindent 2 }}
{{- end }}
{{- end }}

{{- define "serverSelector" -}}
matchLabels: {{- include "selector" . | nindent 2 }}
  app.kubernetes.io/component: server
{{- end }}

{{- define "affinity" -}}
{{- $affinity := deepCopy .Values.affinity }}
{{- if not (hasKey $affinity "podAntiAffinity") }}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (include "serverSelector" . | fromYaml) }}
{{- $preferred := list (dict "weight" 100 "podAffinityTerm" $term) }}
{{- $_ := set $affinity "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" $preferred) }}
{{- end }}
{{- toYaml $affinity }}
{{- end }}

{{- define "topologySpreadConstraints" -}}
{{- $selector := dict "labelSelector" (include "serverSelector" . | fromYaml) }}
{{- $zones := dict "maxSkew" 1 "topologyKey" "topology.kubernetes.io/zone" "whenUnsatisfiable" "ScheduleAnyway" "matchLabelKeys" (list "pod-template-hash") }}
{{- $constraints := list }}
{{- range .Values.topologySpreadConstraints | default (list $zones) }}
{{- $constraints = append $constraints (ternary . (merge (deepCopy .) $selector) (hasKey . "labelSelector")) }}
{{- end }}
{{- toYaml $constraints }}
{{- end }}

{{- define "container" -}}
{{- $repository := required "image.repository is required: where the cluster pulls the image from" .Values.image.repository -}}
{{- if regexMatch "[:@][^/]*$" $repository -}}
{{- fail "image.repository must not end with a tag or a digest: give them as image.tag or image.digest" -}}
{{- end -}}
image: {{ if .Values.image.digest }}{{ printf "%s@%s" $repository .Values.image.digest | quote }}{{ else }}{{ printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) | quote }}{{ end }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /*
Refuses what a database must not have, from a dict with its name among the values and itself. A schema would print the URL with the password.
*/}}
{{- define "checkDatabase" -}}
{{- $name := .name }}
{{- with .database }}
{{- $url := .url | default "" }}
{{- if and $url (dig "urlSecret" "name" "" .) }}
{{- fail (printf "%s.url does not go with %s.urlSecret: give one of them" $name $name) }}
{{- end }}
{{- if or (regexMatch "://[^:/@?]*:.*@" $url) (regexMatch "[?&]password=" $url) }}
{{- fail (printf "%s.url has a password: put the password into the Secret that %s.passwordSecret names, and leave it out of the URL" $name $name) }}
{{- end }}
{{- if not (regexMatch "^($|postgres(ql)?://)" $url) }}
{{- fail (printf "%s.url must be a URL such as postgresql://USER@HOST:5432/DATABASE" $name) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The settings of a database, from a value like `database`. */}}
{{- define "databaseConfig" -}}
{{- if .urlSecret.name }}
{{- if .caSecret.name }}{{ fail "caSecret does not go with urlSecret: give database.url and database.passwordSecret, or a URL that works without it" }}{{ end }}
{{- else }}
database-url: {{ include "databaseUrl" . }}
{{- if .passwordSecret.name }}
database-password-file: /database/{{ .passwordSecret.key }}
{{- end }}
{{- end }}
{{- end }}

{{- define "databaseUrl" -}}
{{- $url := required "database.url is required, such as postgresql://USER@HOST:5432/DATABASE, or database.urlSecret.name: where PostgreSQL is" .url }}
{{- with .caSecret }}
{{- if .name }}
{{- if not (contains "sslmode=" $url) }}{{ $url = printf "%s%ssslmode=verify-full" $url (ternary "&" "?" (contains "?" $url)) }}{{ end }}
{{- $url = printf "%s&sslrootcert=/database-authority/%s" $url .key }}
{{- end }}
{{- end }}
{{- $url }}
{{- end }}

{{- define "databaseMounts" -}}
{{- if not .urlSecret.name }}
{{- if .passwordSecret.name }}
- { name: database, mountPath: /database, readOnly: true }
{{- end }}
{{- if .caSecret.name }}
- { name: database-authority, mountPath: /database-authority, readOnly: true }
{{- end }}
{{- end }}
{{- end }}

{{- /* Only the keys that are used: an operator's Secrets have more. */}}
{{- define "databaseVolumes" -}}
{{- if not .urlSecret.name }}
{{- with .passwordSecret }}
{{- if .name }}
- { name: database, secret: { secretName: {{ .name }}, defaultMode: 0440, items: [{ key: {{ .key }}, path: {{ .key }} }] } }
{{- end }}
{{- end }}
{{- with .caSecret }}
{{- if .name }}
- { name: database-authority, secret: { secretName: {{ .name }}, defaultMode: 0440, items: [{ key: {{ .key }}, path: {{ .key }} }] } }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The database of a Job: `database` with the differences. */}}
{{- define "databaseWith" -}}
{{- $database := mergeOverwrite (deepCopy .database) .other }}
{{- /* A URL of its own takes the place of a Secret with the URL. */}}
{{- if .other.url }}{{ $_ := set $database.urlSecret "name" "" }}{{ end }}
{{- $database | toJson }}
{{- end }}

{{- /* What the servers and the Jobs that are enabled connect to, as a list of values like `database`. */}}
{{- define "databases" -}}
{{- $databases := list .Values.database }}
{{- range list .Values.migrations .Values.backup }}
{{- if .enabled }}
{{- $databases = append $databases (include "databaseWith" (dict "database" $.Values.database "other" .database) | fromJson) }}
{{- end }}
{{- end }}
{{- $databases | toJson }}
{{- end }}

{{- /* The ports of the hosts in a URL, which may name several, each with its own, or name them in the query. */}}
{{- define "urlPorts" -}}
{{- $parts := splitn "?" 2 (regexReplaceAll "^[a-z]+://" . "") }}
{{- $authority := regexReplaceAll "^.*@" (regexReplaceAll "/.*$" $parts._0 "") "" }}
{{- $ports := list }}
{{- range splitList "&" ($parts._1 | default "") }}
{{- if hasPrefix "port=" . }}
{{- range regexFindAll "[0-9]+" (trimPrefix "port=" . | replace "%2C" "," | replace "%2c" ",") -1 }}{{ $ports = append $ports . }}{{ end }}
{{- end }}
{{- end }}
{{- if not $ports }}
{{- range splitList "," $authority }}
{{- $ports = append $ports (regexFind ":[0-9]+$" . | trimPrefix ":" | default "5432") }}
{{- end }}
{{- end }}
{{- $ports | toJson }}
{{- end }}

{{- /* The ports at which PostgreSQL is reached: those of the URLs, which a Secret hides, and those of the values. */}}
{{- define "databasePorts" -}}
{{- $ports := list }}
{{- range .Values.networkPolicy.databasePorts }}{{ $ports = append $ports (int .) }}{{ end }}
{{- $given := $ports }}
{{- range include "databases" . | fromJsonArray }}
{{- if not .urlSecret.name }}
{{- range include "urlPorts" .url | fromJsonArray }}{{ $ports = append $ports (int .) }}{{ end }}
{{- else if not $given }}
{{- $ports = append $ports 5432 }}
{{- end }}
{{- end }}
{{- $ports | uniq | toJson }}
{{- end }}

{{- /* The same settings as arguments. */}}
{{- define "databaseArguments" -}}
{{- range $name, $value := include "databaseConfig" . | fromYaml }}
- {{ printf "--%s=%s" $name $value | quote }}
{{- end }}
{{- end }}

{{- /* The environment of a container, from a dict with `database` and `extra`. */}}
{{- define "env" -}}
{{- $url := list }}
{{- with .database.urlSecret }}
{{- if .name }}{{ $url = list (dict "name" "COORDINATION_APISERVER_DATABASE_URL" "valueFrom" (dict "secretKeyRef" .)) }}{{ end }}
{{- end }}
{{- with concat $url .extra -}}
env: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The settings that the chart derives from its values. */}}
{{- define "config" -}}
secure-port: 6443
# Probes send no token.
anonymous-auth-paths: [/livez, /readyz]
secrets-key-file: /secrets-key/{{ .Values.secretsKey.secret.key }}
{{- include "databaseConfig" .Values.database }}
{{- if include "tlsSecret" . }}
tls-cert-file: /tls/tls.crt
tls-private-key-file: /tls/tls.key
{{- else }}
tls-san: {{- include "certificateNames" . | fromJsonArray | toYaml | nindent 2 }}
{{- end }}
{{- if include "madeToken" . }}
token-auth-file: /tokens/tokens.csv
{{- end }}
{{- if .Values.behindCluster.enabled }}
cluster-kubeconfig: in-cluster
{{- end }}
{{- end }}

{{- /* Settings that the chart changes, unless `config` has them. */}}
{{- define "configDefaults" -}}
{{- if include "routedNames" . | fromJsonArray }}
# All clients come from the addresses of the Gateway or the Ingress controller.
max-connections-per-address: 0
{{- end }}
{{- end }}

{{- /* What a user is told who gives one of the settings that the chart makes. */}}
{{- define "whyMade" -}}
secure-port: ": the pods always listen on 6443; service.port is the port of the Service"
anonymous-auth-paths: ": the probes of the pods send no token, so exactly /livez and /readyz are open"
secrets-key-file: ": it is the file of the Secret that secretsKey.secret names"
database-url: ": give database.url or database.urlSecret"
database-password-file: ": it is the file of the Secret that database.passwordSecret names"
data-dir: ": it is always /data, a volume in memory, because persistent data is in the database"
tls-cert-file: ": it is the file of the Secret of tls.secretName or tls.certManager"
tls-private-key-file: ": it is the file of the Secret of tls.secretName or tls.certManager"
tls-san: ": give further names as tls.names"
token-auth-file: ", because monitoring.serviceMonitor makes a token: name your own Secret with a token as monitoring.serviceMonitor.tokenSecret, and this setting is free"
cluster-kubeconfig: ": with behindCluster.enabled it is in-cluster"
{{- end }}
