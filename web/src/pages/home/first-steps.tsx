import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useBalanceOf } from '../../data/balance-of.ts';
import { configQuery } from '../../data/config.ts';
import { projectsQuery } from '../../data/lists.ts';
import { importQuery, repositoriesQuery } from '../../data/project.ts';
import { useUser } from '../../data/session.ts';
import { readStored, writeStored } from '../../data/storage.ts';
import { dollars } from '../../ui/amount.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';

type Project = components['schemas']['Project'];

/** The agent that needs no model. */
const SANDBOX = 'sandbox';

interface Step {
  title: string;
  done: boolean;
  /** How it is now, and what to do. */
  text: string;
  act: string;
  to: LinkProps;
}

/** Remembered on this browser, for each person. */
const hiddenKey = (user: string): string => `guildhall-first-steps-${user}`;

/** What a new place needs, each with its state and its link, until all is done or it is hidden. */
export function FirstSteps(): ReactNode {
  const user = useUser();
  const projects = useQuery(projectsQuery).data;
  const [hidden, setHidden] = useState(() => readStored(hiddenKey(user.id)) !== null);
  if (hidden || projects === undefined) return null;
  const hide = () => {
    writeStored(hiddenKey(user.id), 'hidden');
    setHidden(true);
  };
  return <Steps projects={projects} onHide={hide} />;
}

/** The steps are about the project that changed last, of those in which the person may begin tasks. */
function Steps({
  projects,
  onHide,
}: {
  projects: readonly Project[];
  onHide: () => void;
}): ReactNode {
  const [project] = projects
    .filter(({ available_actions }) => available_actions.includes('create_task'))
    .toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
  const steps = [
    useCode(project),
    useModel(project),
    useMoney(project),
    firstTask(project, projects),
  ].filter((step) => step !== undefined);
  // What is not known yet is no step, and all at once they make no page jump.
  if (steps.includes(null)) return null;
  const known = steps.filter((step) => step !== null);
  const done = known.filter((step) => step.done).length;
  if (done === known.length) return null;
  return (
    <Section
      title="First steps"
      actions={
        <Button look="quiet" onClick={onHide}>
          Hide these steps
        </Button>
      }
    >
      <ol className="flex flex-col rounded-box border border-line bg-surface">
        {known.map((step, index) => (
          <li
            key={step.title}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2.5 last:border-0"
          >
            <div className="min-w-0 flex-1 basis-64">
              <h3 className="font-medium">
                {index + 1}. {step.title}
              </h3>
              <p className="text-xs text-muted">{step.text}</p>
            </div>
            <Status state={step.done ? 'done' : 'waiting'}>{step.done ? 'Done' : 'To do'}</Status>
            <ButtonLink
              {...step.to}
              look={known.findIndex((each) => !each.done) === index ? 'primary' : 'plain'}
            >
              {step.act}
            </ButtonLink>
          </li>
        ))}
      </ol>
    </Section>
  );
}

const ofProject = ({ id }: Project): LinkProps => ({
  to: '/projects/$project',
  params: { project: id },
});

/** Whether the project has code: null until that is known. */
function useCode(project: Project | undefined): Step | null {
  const { data: repositories } = useQuery({
    ...repositoriesQuery(project?.id ?? ''),
    enabled: project !== undefined,
  });
  // The one in which tasks work unless they say otherwise.
  const main = repositories?.find(
    ({ host, full_name }) => host === 'local' && full_name === 'main',
  );
  const { data: state } = useQuery({
    ...importQuery(project?.id ?? '', main?.id ?? ''),
    enabled: main !== undefined,
  });
  if (project === undefined)
    return {
      title: 'Make a project and connect its code',
      done: false,
      text: 'A project has the tasks and the repositories of one thing that you build.',
      act: 'New project',
      to: { to: '/', search: { create: 'project' } },
    };
  if (repositories === undefined || (main !== undefined && state === undefined)) return null;
  const done = repositories.some(({ host }) => host !== 'local') || state?.takes_history === false;
  return {
    title: 'Connect your code',
    done,
    text: done
      ? `${project.name} has code.`
      : `${project.name} has no code yet: import a repository, push one, or connect GitHub.`,
    act: done ? 'See the repositories' : 'Connect code',
    to: { to: '/projects/$project/repositories', params: { project: project.id } },
  };
}

function useModel(project: Project | undefined): Step | null | undefined {
  const config = useQuery(configQuery).data;
  if (config === undefined) return null;
  if (project === undefined) return undefined;
  const { models, features } = config;
  const used =
    models.find(({ id }) => id === project.default_model) ??
    models.find(({ is_default }) => is_default) ??
    models[0];
  const real = models.some(({ agent }) => agent !== SANDBOX);
  const done = features.agents && used !== undefined && used.agent !== SANDBOX;
  return {
    title: 'Choose a model',
    done,
    text: !features.agents
      ? 'Nothing carries out tasks now: the operator of this server has to start a worker.'
      : done
        ? `Tasks of ${project.name} use ${used.name}.`
        : `Tasks of ${project.name} use the sandbox agent, which tries things out without a model. ${
            real
              ? 'Choose a model in the settings.'
              : 'The operator of this server connects models.'
          }`,
    act: real && !done ? 'Choose a model' : 'See the settings',
    to: { to: '/projects/$project/settings', params: { project: project.id } },
  };
}

/** Left out where nothing is paid for, or for those who do not see the balance. */
function useMoney(project: Project | undefined): Step | null | undefined {
  const { balance, credits } = useBalanceOf(project);
  if (balance === null) return null;
  if (balance === undefined || project === undefined) return undefined;
  const { organization_id: org } = project;
  const { available } = balance;
  const done = !/^-|^0*\.?0*$/.test(available);
  return {
    title: 'Add funds',
    done,
    text: done
      ? `${dollars(available)} can be spent on tasks of ${project.name}.`
      : credits
        ? 'The operator of this server grants credits: ask for some.'
        : 'Agents work for what a balance covers. Each task shows what it has cost.',
    act: done ? 'See the balance' : 'Add funds',
    to:
      org === undefined
        ? { to: '/account/billing' }
        : { to: '/workspaces/$org/billing', params: { org } },
  };
}

function firstTask(
  project: Project | undefined,
  projects: readonly Project[],
): Step | null | undefined {
  if (project === undefined) return undefined;
  const done = projects.some(({ task_count }) => task_count > 0);
  return {
    title: 'Give an agent its first task',
    done,
    text: done
      ? 'There are tasks. A plan waits for you here before anything is built.'
      : 'Say what is to be built. The agent answers with a plan, and waits for your approval.',
    act: done ? 'See the tasks' : 'New task',
    to: ofProject(project),
  };
}
