{{- /* Puts the values into one object of a manifest. Prints nothing. */ -}}
{{- define "guildhall.apply" }}
{{-   $object := .object }}
{{-   $values := .values }}
{{-   $metadata := $object.metadata }}
{{-   $agents := $values.agents.namespace }}
{{-   if $metadata.namespace }}{{ $_ := set $metadata "namespace" $agents }}{{ end }}
{{-   if eq $object.kind "Namespace" }}
{{-     $_ := set $metadata "name" $agents }}
{{-     $_ := set $metadata "annotations" (dict "helm.sh/resource-policy" "keep") }}
{{-   else if and (eq $object.kind "NetworkPolicy") $metadata.namespace }}
{{- /* Agents may still run when the release is gone: they have no network then, either. */ -}}
{{-     $_ := set $metadata "annotations" (dict "helm.sh/resource-policy" "keep") }}
{{-   else if eq $object.kind "RoleBinding" }}
{{-     range $object.subjects }}{{ $_ := set . "namespace" $.root.Release.Namespace }}{{ end }}
{{-   else if eq $object.kind "PersistentVolumeClaim" }}
{{-     $_ := set $metadata "annotations" (dict "helm.sh/resource-policy" "keep") }}
{{-     $volume := ternary $values.backup $values.repositories (eq $metadata.name "guildhall-backups") }}
{{-     with $volume.accessModes }}{{ $_ := set $object.spec "accessModes" . }}{{ end }}
{{-     $_ := set $object.spec.resources.requests "storage" $volume.size }}
{{-     with $volume.storageClassName }}{{ $_ := set $object.spec "storageClassName" . }}{{ end }}
{{-   else if eq $object.kind "HorizontalPodAutoscaler" }}
{{-     $_ := set $object.spec "minReplicas" $values.servers.minReplicas }}
{{-     $_ := set $object.spec "maxReplicas" $values.servers.maxReplicas }}
{{-   else if eq $object.kind "NetworkPolicy" }}
{{-     range $rule := $object.spec.ingress }}
{{-       range $from := $rule.from }}
{{-         $_ := set $from.namespaceSelector.matchLabels "kubernetes.io/metadata.name" $values.monitoringNamespace }}
{{-       end }}
{{-     end }}
{{- /* The last rule has the ports; the one before, DNS. */ -}}
{{-     $outgoing := last ($object.spec.egress | default list) }}
{{-     $part := get (dict "guildhall" $values.servers "guildhall-work" $values.workers "guildhall-backup" $values.backup) $metadata.name }}
{{-     range ternary list $part.egressPorts (empty $outgoing) }}
{{-       $_ := set $outgoing "ports" (append $outgoing.ports (dict "port" .)) }}
{{-     end }}
{{-   else if eq $object.kind "Deployment" }}
{{-     include "guildhall.pod" (merge (dict "pod" $object.spec.template.spec) .) }}
{{-   else if eq $object.kind "CronJob" }}
{{-     $_ := set $object.spec "schedule" $values.backup.schedule }}
{{-     include "guildhall.pod" (merge (dict "pod" $object.spec.jobTemplate.spec.template.spec) .) }}
{{-   end }}
{{- end }}

{{- define "guildhall.pod" }}
{{-   $values := .values }}
{{-   $container := index .pod.containers 0 }}
{{-   $repository := required "image.repository must name the image of the Dockerfile in your registry" $values.image.repository }}
{{-   $_ := set $container "image" (printf "%s:%s" $repository ($values.image.tag | default .root.Chart.AppVersion)) }}
{{-   $part := get (dict "server" $values.servers "worker" $values.workers "backup" $values.backup) $container.name }}
{{-   with $part.resources }}{{ $_ := set $container "resources" . }}{{ end }}
{{-   $env := deepCopy $part.env }}
{{-   if eq $container.name "server" }}
{{-     $_ := set $env "PUBLIC_URL" (required "publicUrl must say where people reach the server" $values.publicUrl) }}
{{-   else if eq $container.name "backup" }}
{{-     $_ := set $env "KEEP" $part.keep }}
{{-   else }}
{{-     $_ := set .object.spec "replicas" $part.replicas }}
{{-     if $values.workers.inPods }}
{{-       $_ := set $env "PODS_NAMESPACE" $values.agents.namespace }}
{{-       $_ := set $env "PODS_IMAGE" (required "agents.image must name the image of deploy/agent.Dockerfile in your registry" $values.agents.image) }}
{{-     end }}
{{-   end }}
{{-   if and $part.secretFileKeys (not $values.secretFiles) }}{{ fail "secretFileKeys are for secretFiles: true" }}{{ end }}
{{-   range $volume := .pod.volumes }}
{{-     if eq $volume.name "secrets" }}
{{-       range $key := $part.secretFileKeys }}
{{-         $_ := set $volume.secret "items" (append $volume.secret.items (dict "key" $key "path" $key)) }}
{{-         $_ := set $env (printf "%s_FILE" $key) (printf "/run/secrets/guildhall/%s" $key) }}
{{-       end }}
{{-     end }}
{{-   end }}
{{-   $kept := list }}
{{-   range $container.env }}
{{-     if not (or (hasKey $env .name) (has .name ($part.secretFileKeys | default list))) }}{{ $kept = append $kept . }}{{ end }}
{{-   end }}
{{-   range $name, $value := $env }}
{{- /* Numbers of values are floating-point: 1000000 would become 1e+06. */ -}}
{{-     if and (kindIs "float64" $value) (eq (floor $value) $value) }}{{ $value = int64 $value }}{{ end }}
{{-     $kept = append $kept (dict "name" $name "value" (toString $value)) }}
{{-   end }}
{{-   $_ := set $container "env" $kept }}
{{- end }}
