import { type ComponentType, Suspense } from 'react';
import { patiently } from '../../data/patiently.ts';
import { lazily } from '../../ui/lazily.ts';

/**
 * Parts of a task's page that arrive after what there is to read: whoever reads a plan or a
 * conversation over a slow line does not wait for forms.
 */

function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazily(load);
  return (props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

const forms = () => import('./forms.ts');

/** Once they are there, a dialog opens at once, also while the server is away. */
export const fetchForms = (): void => void patiently(forms);

export const AnswerForm = onDemand(async () => (await forms()).AnswerForm);
export const ArchiveTask = onDemand(async () => (await forms()).ArchiveTask);
export const AskForChanges = onDemand(async () => (await forms()).AskForChanges);
export const CommentForm = onDemand(async () => (await forms()).CommentForm);
export const ConfirmMerge = onDemand(async () => (await forms()).ConfirmMerge);
export const DeleteTask = onDemand(async () => (await forms()).DeleteTask);
export const PlanRevision = onDemand(async () => (await forms()).PlanRevision);
export const RejectPlan = onDemand(async () => (await forms()).RejectPlan);
export const TaskSettings = onDemand(async () => (await forms()).TaskSettings);
