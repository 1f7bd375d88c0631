{{- define "name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
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

{{- define "secretsKeyName" -}}
{{ .Values.secretsKey.secret.name | default (printf "%s-secrets-key" (include "name" .)) }}
{{- end }}

{{- define "madeToken" -}}
{{- with .Values.monitoring.serviceMonitor }}{{ if and .enabled (not .tokenSecret.name) }}true{{ end }}{{ end }}
{{- end }}

{{- /* The parts that all pods have in common. */}}
{{- define "pod" -}}
automountServiceAccountToken: false
# The variables of a Service with this name would be read as settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
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

{{- define "container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /* The settings of a database, from a value like `database`. */}}
{{- define "databaseConfig" -}}
{{- if not .urlSecret.name }}
database-url: {{ .url }}
{{- if .passwordSecret.name }}
database-password-file: /database/{{ .passwordSecret.key }}
{{- end }}
{{- end }}
{{- end }}

{{- define "databaseMount" -}}
{{- if and .passwordSecret.name (not .urlSecret.name) -}}
- { name: database, mountPath: /database, readOnly: true }
{{- end }}
{{- end }}

{{- define "databaseVolume" -}}
{{- if and .passwordSecret.name (not .urlSecret.name) -}}
- { name: database, secret: { secretName: {{ .passwordSecret.name }}, defaultMode: 0440 } }
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
{{- $service := include "name" . }}
{{- $namespace := .Release.Namespace -}}
secure-port: 6443
# Probes send no token.
anonymous-auth-paths: [/livez, /readyz]
secrets-key-file: /secrets-key/{{ .Values.secretsKey.secret.key }}
{{- include "databaseConfig" .Values.database }}
{{- if .Values.tls.secretName }}
tls-cert-file: /tls/tls.crt
tls-private-key-file: /tls/tls.key
{{- else }}
tls-san:
  - {{ $service }}
  - {{ $service }}.{{ $namespace }}
  - {{ $service }}.{{ $namespace }}.svc
  - {{ $service }}.{{ $namespace }}.svc.cluster.local
{{- range .Values.tls.names }}
  - {{ . | quote }}
{{- end }}
{{- end }}
{{- if include "madeToken" . }}
token-auth-file: /tokens/tokens.csv
{{- end }}
{{- end }}
