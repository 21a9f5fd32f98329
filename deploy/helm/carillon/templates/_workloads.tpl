{{/*
Every workload of the chart as one table: its key in the values, its app, what kind of signal scales it, the wave in which
a rollout reaches it (schema, writers, workers, api, gateways), the role it has to be told, and whether it answers requests
of others.
*/}}
{{- define "carillon.workloads" -}}
historyWriter: { app: history-writer, scale: queue, wave: "1", serves: false }
ingest: { app: ingest, scale: cpu, wave: "2", serves: false, role: api }
webhookWorker: { app: webhook-worker, scale: queue, wave: "2", serves: false }
pushPlanner: { app: push-planner, scale: queue, wave: "2", serves: false, stages: "publish_log|shard_jobs" }
pushDispatch: { app: push-dispatch, scale: queue, wave: "2", serves: false, stages: "delivery_jobs.*" }
pushFeedback: { app: push-feedback, scale: queue, wave: "2", serves: false, stages: "delivery_results|retry_schedule" }
api: { app: api, scale: cpu, wave: "3", serves: true, role: api }
mcpGateway: { app: mcp-gateway, scale: cpu, wave: "3", serves: true, role: api }
gateway: { app: gateway, scale: sockets, wave: "4", serves: true }
{{- end -}}

{{- define "carillon.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end -}}

{{- define "carillon.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
{{ include "carillon.selector" . }}
{{- end -}}

{{- define "carillon.selector" -}}
app.kubernetes.io/name: carillon
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "carillon.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "carillon.fullname" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end -}}

{{/*
The configuration of a workload as text: in a rollout by waves, the one before until its wave has come. Called as
carillon.container is.
*/}}
{{- define "carillon.configText" -}}
{{- $rollout := .root.Values.rollout -}}
{{- if and $rollout.previousConfig (gt (int (.row.wave | default 0)) (int $rollout.wave)) -}}
{{ toPrettyJson $rollout.previousConfig }}
{{- else -}}
{{ toPrettyJson .root.Values.config }}
{{- end -}}
{{- end -}}

{{/* A ConfigMap is named after what is in it, so that pods of either side of a rollout have theirs. */}}
{{- define "carillon.configName" -}}
{{ include "carillon.fullname" .root }}-{{ include "carillon.configText" . | sha256sum | trunc 10 }}
{{- end -}}

{{/* The environment of every process. Called with (dict "root" $ "workload" values "row" row). */}}
{{- define "carillon.env" -}}
- name: INSTANCE_PROCESS_ID
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: PORT
  value: "6001"
- name: METRICS_PORT
  value: "9601"
{{- with .row.role }}
- name: SERVICE_SERVER_ROLE
  value: {{ . | quote }}
{{- end }}
{{- with .root.Values.defaultApp.id }}
- name: SERVICE_DEFAULT_APP_ID
  value: {{ . | quote }}
- name: SERVICE_DEFAULT_APP_KEY
  value: {{ required "defaultApp.key is needed with defaultApp.id" $.root.Values.defaultApp.key | quote }}
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- with .workload.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The image tag of a workload: in a rollout by waves, the one before until its wave has come. */}}
{{- define "carillon.tag" -}}
{{- $rollout := .root.Values.rollout -}}
{{- if gt (int (.row.wave | default 0)) (int $rollout.wave) -}}
{{ required "rollout.previousTag is needed while rollout.wave is below 4" $rollout.previousTag }}
{{- else -}}
{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* A pod of a workload. Called with (dict "root" $ "workload" values "row" row). */}}
{{- define "carillon.container" -}}
name: {{ .row.app }}
image: "{{ .root.Values.image.repository }}-{{ .row.app }}:{{ include "carillon.tag" . }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml .root.Values.securityContext | nindent 2 }}
env:
  {{- include "carillon.env" . | nindent 2 }}
{{- with .root.Values.secrets.existingSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
resources:
  {{- toYaml .workload.resources | nindent 2 }}
volumeMounts:
  - name: config
    mountPath: /app/config
    readOnly: true
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{/* Called with the name of a ConfigMap. */}}
{{- define "carillon.volumes" -}}
- name: config
  configMap:
    name: {{ . }}
- name: tmp
  emptyDir: {}
{{- end -}}
