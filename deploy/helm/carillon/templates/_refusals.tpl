{{/*
What cannot work is refused when the chart is rendered, not found out by pods that do not start.
*/}}
{{- define "carillon.refusals" -}}
{{- $config := .Values.config -}}
{{- $driver := dig "adapter" "driver" "local" $config -}}
{{- $queue := dig "queue" "driver" "memory" $config -}}
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
    {{- if and (eq $driver "local") (has $key (list "api" "historyWriter" "mcpGateway")) -}}
      {{- fail (printf "%s.enabled needs an adapter other than local (config.adapter.driver)" $key) -}}
    {{- end -}}
    {{- if and (has $queue (list "memory" "none")) (has $key (list "webhookWorker" "pushPlanner" "pushDispatch" "pushFeedback")) -}}
      {{- fail (printf "%s.enabled needs a queue that other processes can see (config.queue.driver is %s)" $key $queue) -}}
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
