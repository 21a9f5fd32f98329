{{/* A worker without anything that other processes see too. */}}
{{- define "carillon.shared" -}}
{{- if has .driver (list "memory" "none") -}}
  {{- fail (printf "%s.enabled needs a %s that other processes can see (config.%s is %s)" .key .what .path .driver) -}}
{{- end -}}
{{- end -}}

{{/*
What cannot work is refused when the chart is rendered, not found out by pods that do not start.
*/}}
{{- define "carillon.refusals" -}}
{{- $config := .Values.config -}}
{{- $driver := dig "adapter" "driver" "local" $config -}}
{{- $pushWorkers := list "pushPlanner" "pushDispatch" "pushFeedback" -}}
{{- $grace := int (dig "shutdown_grace_period" 10 $config) -}}
{{- $queueStop := int (dig "queue" "reliability" "shutdown_timeout_ms" 30000 $config) -}}
{{- $least := add $grace (div (add $queueStop 999) 1000) 5 -}}
{{- range $key, $row := fromYaml (include "carillon.workloads" .) -}}
  {{- $workload := index $.Values $key -}}
  {{- if $workload.enabled -}}
    {{- $many := or (gt (int $workload.replicaCount) 1) $workload.autoscaling.enabled -}}
    {{- if and (eq $driver "local") $many -}}
      {{- fail (printf "%s: more than one replica needs an adapter other than local (config.adapter.driver)" $key) -}}
    {{- end -}}
    {{- if and (eq $driver "local") (has $key (list "api" "historyWriter" "ingest" "mcpGateway")) -}}
      {{- fail (printf "%s.enabled needs an adapter other than local (config.adapter.driver)" $key) -}}
    {{- end -}}
    {{- if eq $key "webhookWorker" -}}
      {{- include "carillon.shared" (dict "key" $key "what" "queue" "path" "queue.driver" "driver" (dig "queue" "driver" "memory" $config)) -}}
    {{- end -}}
    {{- if has $key $pushWorkers -}}
      {{- include "carillon.shared" (dict "key" $key "what" "queue" "path" "push.queue_driver" "driver" (dig "push" "queue_driver" "memory" $config)) -}}
      {{- include "carillon.shared" (dict "key" $key "what" "store" "path" "push.storage_driver" "driver" (dig "push" "storage_driver" "memory" $config)) -}}
    {{- end -}}
    {{- if lt (int $workload.terminationGracePeriodSeconds) (int $least) -}}
      {{- fail (printf "%s.terminationGracePeriodSeconds must be at least %d: shutdown_grace_period + queue.reliability.shutdown_timeout_ms + 5 s" $key $least) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and .Values.defaultApp.id (not .Values.secrets.existingSecret) -}}
  {{- fail "defaultApp needs its secret in secrets.existingSecret (SERVICE_DEFAULT_APP_SECRET)" -}}
{{- end -}}
{{- end -}}
