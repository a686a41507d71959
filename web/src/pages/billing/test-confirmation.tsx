import { type ReactNode, useState } from 'react';
import { ActButton } from '../../ui/act-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';

/** What a bank would ask, where the card processor is the sandbox. */
export function TestConfirmation({
  onAnswer,
  onCancel,
  onClose,
}: {
  onAnswer: (answer: 'succeed' | 'fail') => PromiseLike<unknown>;
  onCancel: () => PromiseLike<unknown>;
  onClose: () => void;
}): ReactNode {
  const [failure, setFailure] = useState<unknown>();
  return (
    <Dialog title="The bank wants a confirmation" onClose={onClose}>
      <p>
        This is the sandbox: choose what the cardholder does. Nothing is charged until the charge is
        confirmed.
      </p>
      {failure !== undefined && <Failure error={failure} />}
      <div className="flex flex-wrap gap-2">
        <ActButton act={() => onAnswer('succeed')} onFailure={setFailure} look="primary">
          Confirm the charge
        </ActButton>
        <ActButton act={() => onAnswer('fail')} onFailure={setFailure}>
          Refuse it
        </ActButton>
        <ActButton act={onCancel} onFailure={setFailure}>
          Cancel the charge
        </ActButton>
      </div>
    </Dialog>
  );
}
