import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { networkQuery, type Purpose, setNetwork } from '../../data/network.ts';
import { projectQuery } from '../../data/project.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';

/** Lets an admin add a host that was refused to the list of the project. */
export function AllowHost({ host, purpose }: { host: string; purpose: Purpose }): ReactNode {
  const { project: id } = useParams({ from: '/signed-in/projects/$project/tasks/$task' });
  const project = useQuery(projectQuery(id));
  const may = project.data?.available_actions.includes('update_project') ?? false;
  const { data, refetch } = useQuery({ ...networkQuery(id), enabled: may });
  const [failure, setFailure] = useState<unknown>();
  if (!may || data === undefined || data.network.fixed.includes(purpose)) return null;
  if (data.network[purpose].includes(host)) return <span>It is on the list now.</span>;
  const add = async () => {
    // As the list is now, with the version that says so.
    const { data: now } = await refetch({ throwOnError: true });
    const listed = now?.network[purpose] ?? [];
    if (!listed.includes(host)) await setNetwork(id, { [purpose]: [...listed, host] }, now?.etag);
  };
  return (
    <>
      <ActButton act={add} onFailure={setFailure} label={`Allow ${host} for this project`}>
        Allow for this project
      </ActButton>
      {failure !== undefined && <Failure error={failure} />}
    </>
  );
}
