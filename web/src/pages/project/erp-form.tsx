import { GuildhallError } from '@guildhall/client';
import { type ReactNode, useEffect, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { ASKING, type Connection, readConnection } from '../../data/erp.ts';
import { refreshProject } from '../../data/project.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, type Values } from '../../ui/form.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { CheckLogin } from './erp-checks.tsx';
import { SecretField, ServerFields, UseFields } from './erp-fields.tsx';
import { bodyOfNew, changesOf, EMPTY, fieldsOf, type Merged, merge } from './erp-values.ts';
import type { Project } from './project.ts';

interface Props {
  project: Project;
  onClose: () => void;
}

/** Adds a connection to Odoo; the server is asked before it is saved. */
export function AddConnection({ project, onClose }: Props): ReactNode {
  const [unsure, setUnsure] = useState(false);
  return (
    <Dialog title="Add an ERP connection" onClose={onClose}>
      <Form
        submit="Add the connection"
        disabled={unsure}
        onCancel={onClose}
        onSubmit={async (values) => {
          const call = { project_id: project.id, body: bodyOfNew(values) };
          await guildhall.post('/api/projects/{project_id}/odoo-connections', call, ASKING);
          await refreshProject(project.id);
          onClose();
        }}
      >
        <ServerFields fields={EMPTY} erpVersion={project.erp_version} />
        <SecretField />
        <CheckLogin erpVersion={project.erp_version} stored={false} />
        <UseFields fields={EMPTY} onUnsure={setUnsure} />
      </Form>
    </Dialog>
  );
}

interface Read {
  connection: Connection;
  etag: string | undefined;
}

/** Changes a connection, from how it is now. */
export function EditConnection({ project, id, onClose }: Props & { id: string }): ReactNode {
  const [read, setRead] = useState<Read>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    readConnection(project.id, id).then(setRead, setFailure);
  }, [project.id, id]);
  return (
    <Dialog title="Edit the ERP connection" onClose={onClose}>
      {failure !== undefined && <Failure error={failure} />}
      {read && <Edit project={project} first={read} onClose={onClose} />}
    </Dialog>
  );
}

function Edit({ project, first, onClose }: Props & { first: Read }): ReactNode {
  const [basis, setBasis] = useState(first);
  const [merged, setMerged] = useState<Merged>();
  const [unsure, setUnsure] = useState(false);
  const { connection, etag } = basis;
  const fields = merged?.fields ?? fieldsOf(connection);
  async function save(values: Values): Promise<void> {
    const ids = { project_id: project.id, connection_id: connection.id };
    try {
      await guildhall.put(
        '/api/projects/{project_id}/odoo-connections/{connection_id}',
        { ...ids, body: changesOf(fieldsOf(connection), values) },
        { ...ASKING, ...(etag !== undefined && { ifMatch: etag }) },
      );
    } catch (error) {
      if (!GuildhallError.is(error, 'odoo_connection_changed')) throw error;
      const latest = await readConnection(project.id, connection.id);
      setMerged(merge(fieldsOf(connection), values, fieldsOf(latest.connection)));
      return setBasis(latest);
    }
    await refreshProject(project.id);
    onClose();
  }
  return (
    <Form submit="Save" disabled={unsure} onCancel={onClose} onSubmit={save}>
      {merged && <Conflict merged={merged} />}
      {/* Fields begin anew when another person has changed the connection; a typed secret stays. */}
      <ServerFields key={`server ${etag}`} fields={fields} erpVersion={project.erp_version} />
      <SecretField stored={connection} />
      <CheckLogin erpVersion={project.erp_version} stored={connection.has_secret} />
      <UseFields
        key={`use ${etag}`}
        fields={fields}
        before={fieldsOf(connection)}
        onUnsure={setUnsure}
      />
    </Form>
  );
}

function Conflict({ merged: { theirs } }: { merged: Merged }): ReactNode {
  return (
    <Refusal>
      Another person has changed this connection meanwhile, and nothing of yours was saved. What you
      have entered is still here: look at it, and save again.
      {theirs.map(({ text, mine }) => (
        <span key={text} className="block">
          {text}
          {mine && ' (you have entered something else)'}
        </span>
      ))}
    </Refusal>
  );
}
