import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCreate } from '../data/config.ts';
import { leave } from '../data/forget-drafts.ts';
import { projectsQuery } from '../data/lists.ts';
import { queries } from '../data/queries.ts';
import { copy } from '../ui/copy.ts';
import type { Entry } from './palette-entry.ts';
import { currentScheme, type Scheme, setScheme } from './scheme.ts';

const SCHEMES: Record<Scheme, string> = {
  light: 'Light colours',
  dark: 'Dark colours',
  system: 'Colours as the system has them',
};

/**
 * What can be done from here: what the open page offers in its places with `data-acts`, and what
 * can be done everywhere. The page alone decides what it offers: an approval, for example, is there
 * while the newest version of the plan is on the screen.
 */
export function useActs(showKeys: () => void): { here: Entry[]; everywhere: Entry[] } {
  const navigate = useNavigate();
  const [here] = useState(offeredByPage);
  const { project } = useParams({ strict: false });
  const may = useMayCreate();
  const name = queries.getQueryData(projectsQuery.queryKey)?.find(({ id }) => id === project)?.name;
  const everywhere: [string, () => void][] = [
    ...Object.entries(SCHEMES)
      .filter(([scheme]) => scheme !== currentScheme())
      .map(([scheme, label]): [string, () => void] => [label, () => setScheme(scheme as Scheme)]),
    ['Copy the address of this page', () => void copy(location.href)],
    ['Show the keys', showKeys],
    ['Sign out', () => void leave()],
  ];
  if (may.personal)
    everywhere.unshift([
      'New personal project',
      () => void navigate({ to: '/', search: { create: 'project' } }),
    ]);
  if (may.workspaces)
    everywhere.unshift([
      'New workspace',
      () => void navigate({ to: '/', search: { create: 'workspace' } }),
    ]);
  everywhere.unshift([
    name === undefined ? 'New task' : `New task in ${name}`,
    () => void navigate({ to: '/new-task', search: { project } }),
  ]);
  return {
    here,
    everywhere: everywhere.map(([label, go]) => ({ key: `act ${label}`, label, kind: 'act', go })),
  };
}

function offeredByPage(): Entry[] {
  const places = '[data-acts] :is(button, a[href]):not(:disabled)';
  return [...document.querySelectorAll<HTMLElement>(places)].flatMap((control, index) => {
    const label = (control.ariaLabel ?? control.textContent).trim();
    if (label === '' || !control.checkVisibility()) return [];
    return [{ key: `page ${index} ${label}`, label, kind: 'act here', go: () => press(control) }];
  });
}

// The dialog gives the focus back when it has closed; the control may take it after that.
function press(control: HTMLElement): void {
  requestAnimationFrame(() => {
    control.focus();
    control.click();
  });
}
