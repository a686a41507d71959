import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Form, TextField, type Values } from './form.tsx';

/** A dialog that asks before something is removed. It closes when that is done. */
export function Confirm({
  title,
  submit,
  act,
  onClose,
  children,
}: {
  title: string;
  submit: string;
  act: () => Promise<unknown>;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
}): ReactNode {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form
        submit={submit}
        look="danger"
        onCancel={onClose}
        onSubmit={async () => {
          await act();
          onClose();
        }}
      />
    </Dialog>
  );
}

/** A dialog for what cannot be undone: the button works when the name has been typed. */
export function ConfirmByName({
  title,
  name,
  submit,
  onSubmit,
  onClose,
  ready = true,
  children,
}: {
  title: string;
  /** Whether all else is filled in. */
  ready?: boolean;
  /** What the person must type. */
  name: string;
  submit: string;
  onSubmit: (values: Values) => Promise<unknown>;
  onClose: () => void;
  /** What will happen, and further fields. */
  children: ReactNode;
}): ReactNode {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submit}
        look="danger"
        disabled={!ready || typed.trim() !== name}
        onSubmit={onSubmit}
        onCancel={onClose}
      >
        {children}
        <TextField
          name="typed_name"
          label={`Type “${name}” to confirm`}
          autoComplete="off"
          dir="auto"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}
