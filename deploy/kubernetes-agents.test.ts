import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ODOO_PORT } from '../server/erp/instances/images.ts';
import { podOf as instancePodOf } from '../server/erp/instances/kubernetes-driver.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { podOf } from '../server/platform/pods/kubernetes/manifests.ts';
import { DEFAULT_LIMITS } from '../server/platform/pods/limits.ts';
import { type Anything, documents } from './files.ts';

const FOLDER = 'deploy/kubernetes-agents';
const [kustomization] = documents(`${FOLDER}/kustomization.yaml`);
const objects: Anything[] = kustomization.resources.flatMap((file: string) =>
  documents(`${FOLDER}/${file}`),
);
const only = (kind: string, name?: string): Anything => {
  const found = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  assert.equal(found.length, 1, kind);
  return found[0];
};

test('everything is in the namespace that the server uses by default', () => {
  const { namespace } = readConfig({}).pods;
  assert.equal(only('Namespace').metadata.name, namespace);
  for (const { kind, metadata } of objects)
    if (kind !== 'Namespace') assert.equal(metadata.namespace, namespace, kind);
});

test('the role has what the driver calls, for the service account of the server', () => {
  const role = only('Role');
  assert.deepEqual(
    role.rules.map(({ resources, verbs }: Anything) => [resources, verbs]),
    [
      [
        ['pods', 'persistentvolumeclaims'],
        ['get', 'list', 'create', 'delete'],
      ],
      [['pods/exec'], ['get', 'create']],
    ],
  );
  const binding = only('RoleBinding');
  assert.equal(binding.roleRef.name, role.metadata.name);
  const [account] = documents('deploy/kubernetes/service-account.yaml');
  assert.equal(binding.subjects[0].name, account.metadata.name);
});

test('agents have no network, and no Pod of theirs is refused by the restricted profile', () => {
  const { podSelector, policyTypes, ingress, egress } = only(
    'NetworkPolicy',
    'guildhall-agents',
  ).spec;
  assert.deepEqual([podSelector, policyTypes], [{}, ['Ingress', 'Egress']]);
  assert.deepEqual([ingress, egress], [undefined, undefined]);
  const { spec } = podOf('name', 'id', 'image', DEFAULT_LIMITS, 'uid');
  assert.equal(spec.automountServiceAccountToken, false);
  assert.equal(spec.securityContext.runAsNonRoot, true);
  assert.equal(spec.securityContext.seccompProfile.type, 'RuntimeDefault');
  for (const { securityContext, resources } of spec.containers) {
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    assert.ok(resources.limits.memory && resources.limits.cpu);
  }
});

test('the server reaches the Odoo of an instance, whose Pod the restricted profile allows', () => {
  const { podSelector, policyTypes, ingress } = only(
    'NetworkPolicy',
    'guildhall-erp-instances',
  ).spec;
  const pod = instancePodOf(
    'name',
    { id: 'id', erpVersion: '19.0', edition: 'community', database: 'db', password: 'x' },
    'odoo:19.0',
  );
  const label = 'app.kubernetes.io/name';
  assert.equal(podSelector.matchLabels[label], pod.metadata.labels[label]);
  assert.deepEqual([policyTypes, ingress[0].ports[0].port], [['Ingress'], ODOO_PORT]);
  assert.equal(pod.spec.securityContext.runAsNonRoot, true);
  assert.equal(pod.spec.securityContext.seccompProfile.type, 'RuntimeDefault');
  for (const { securityContext } of pod.spec.containers)
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
});
