import { GuildhallError } from '@guildhall/client';
import { type ReactNode, useEffect, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { type Connection, ENVIRONMENTS, readConnection } from '../../data/erp.ts';
import { refreshProject } from '../../data/project.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form } from '../../ui/form.tsx';
import { Refusal } from '../../ui/notice.tsx';

type Read = Awaited<ReturnType<typeof readConnection>>;

/** Deletes a connection, as the person has just seen it. */
export function DeleteConnection({
  connection: { id, project_id, name },
  onClose,
}: {
  connection: Connection;
  onClose: () => void;
}): ReactNode {
  const [read, setRead] = useState<Read>();
  const [failure, setFailure] = useState<unknown>();
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    readConnection(project_id, id).then(setRead, setFailure);
  }, [project_id, id]);
  const shown = read?.connection;
  async function remove(ifMatch: string | undefined): Promise<void> {
    try {
      await guildhall.delete(
        '/api/projects/{project_id}/odoo-connections/{connection_id}',
        { project_id, connection_id: id },
        ifMatch === undefined ? {} : { ifMatch },
      );
    } catch (error) {
      if (!GuildhallError.is(error, 'odoo_connection_changed')) throw error;
      setRead(await readConnection(project_id, id));
      return setChanged(true);
    }
    await refreshProject(project_id);
    onClose();
  }
  return (
    <Dialog title={`Delete ${shown?.name ?? name}?`} onClose={onClose}>
      {failure !== undefined && <Failure error={failure} />}
      {shown && (
        <>
          <p className="break-all text-muted">
            {ENVIRONMENTS[shown.environment]}, {shown.url}
          </p>
          <p>
            Its secret is deleted with it, and tasks in which it is active lose it at once. The
            secret still works in Odoo: withdraw it there, too.
          </p>
          {changed && (
            <Refusal>
              Another person has changed this connection meanwhile. Nothing was deleted. Above is
              how it is now; delete it again if you still want to.
            </Refusal>
          )}
          <Form
            submit="Delete the connection"
            look="danger"
            onCancel={onClose}
            onSubmit={() => remove(read?.etag)}
          />
        </>
      )}
    </Dialog>
  );
}
