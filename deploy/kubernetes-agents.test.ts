import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { ORDINARY_PORTS } from '../server/platform/network/host-pattern.ts';
import { podOf } from '../server/platform/pods/kubernetes/manifests.ts';
import { DEFAULT_LIMITS } from '../server/platform/pods/limits.ts';
import { type Anything, documents, ROOT, read, SETTINGS } from './files.ts';

const FOLDER = 'deploy/kubernetes-agents';
const [kustomization] = documents(`${FOLDER}/kustomization.yaml`);
const objects: Anything[] = kustomization.resources.flatMap((file: string) =>
  documents(`${FOLDER}/${file}`),
);
const only = (kind: string): Anything => {
  const found = objects.filter((object) => object.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
};

/** The workers whose agents run here, as the overlay makes them. */
const OVERLAY = 'deploy/kubernetes/work-in-pods';
const [overlay] = documents(`${OVERLAY}/kustomization.yaml`);
const [patch] = documents(`${OVERLAY}/deployment.yaml`);
const [worker] = documents('deploy/kubernetes/work/deployment.yaml');
const namespace = only('Namespace').metadata.name;
/** Where the documents install servers and workers. */
const [, installed] = /apply -k deploy\/kubernetes --namespace ([\w-]+)/.exec(
  read('docs/operations/install.md'),
) as unknown as [string, string];

test('everything is in a namespace of its own, which the workers name, and no server is in it', () => {
  for (const { kind, metadata } of objects)
    if (kind !== 'Namespace') assert.equal(metadata.namespace, namespace, kind);
  assert.notEqual(installed, namespace);
  const [{ env }] = patch.spec.template.spec.containers;
  const values = env.map(({ name, value }: Anything) => [name, value]);
  assert.deepEqual(values.slice(0, 2), [
    ['PODS_DRIVER', 'kubernetes'],
    ['PODS_NAMESPACE', namespace],
  ]);
  for (const [name] of values) assert.ok(SETTINGS.has(name), name);
});

test('the role has what the driver calls, for the account of the Deployment that runs `work`', () => {
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
  const { roleRef, subjects } = only('RoleBinding');
  assert.equal(roleRef.name, role.metadata.name);
  const { spec } = worker.spec.template;
  assert.deepEqual(spec.containers[0].args, ['work']);
  const { serviceAccountName: name } = spec;
  assert.deepEqual(subjects, [{ kind: 'ServiceAccount', name, namespace: installed }]);
  assert.deepEqual(overlay.resources, ['../work']);
  assert.equal(patch.metadata.name, worker.metadata.name);
  // Without its token the API answers 401 to everything.
  assert.equal(patch.spec.template.spec.automountServiceAccountToken, true);
});

test('workers reach the API', () => {
  const [policy] = documents(`${OVERLAY}/network-policy.yaml`);
  const [base] = documents('deploy/kubernetes/work/network-policy.yaml');
  assert.equal(policy.metadata.name, base.metadata.name);
  const portsOf = ({ spec }: Anything): number[] =>
    spec.egress.flatMap(({ ports }: Anything) => ports.map(({ port }: Anything) => port));
  // Of proxied hosts, and of the API behind its Service.
  for (const port of ORDINARY_PORTS) assert.ok(portsOf(base).includes(port), String(port));
  assert.deepEqual(portsOf(policy), [...portsOf(base), 6443]);
});

test('workers that confine no agent themselves have no more than servers', (t) => {
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) return t.skip('needs kubectl');
  const made = execFileSync('kubectl', ['kustomize', join(ROOT, OVERLAY)], { encoding: 'utf8' });
  const all = parseAllDocuments(made).map((document) => document.toJS());
  const { spec } = all.find(({ kind }) => kind === 'Deployment').spec.template;
  const [container] = spec.containers;
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.deepEqual(spec.securityContext.seccompProfile, { type: 'RuntimeDefault' });
  assert.deepEqual([spec.hostUsers, spec.securityContext.appArmorProfile], [undefined, undefined]);
  assert.ok(!container.env.some(({ name }: Anything) => name === 'PODS_SANDBOX'));
  const names = (list: Anything[]) => list.map(({ name }) => name);
  assert.deepEqual(names(container.volumeMounts), ['tmp', 'repositories']);
  assert.deepEqual(names(spec.volumes), ['tmp', 'repositories']);
});

test('agents have no network, and no Pod of theirs is refused by the restricted profile', () => {
  const { podSelector, policyTypes, ingress, egress } = only('NetworkPolicy').spec;
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
