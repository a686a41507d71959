import type { components } from '@guildhall/client';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshProject } from '../../data/project.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, Form, SelectField, TextArea, TextField, type Values } from '../../ui/form.tsx';

type McpServer = components['schemas']['McpServer'];

/** As people write it. */
const REFERENCE = `\${NAME}`;

const KINDS = [
  { value: 'url', label: 'At an address' },
  { value: 'command', label: 'A command in the pod of the agent' },
];

/** Adds an MCP server, or replaces one as a whole. */
export function SetMcpServer({
  projectId,
  before,
  onClose,
}: {
  projectId: string;
  before?: McpServer;
  onClose: () => void;
}): ReactNode {
  const [kind, setKind] = useState(before?.command === undefined ? 'url' : 'command');
  return (
    <Dialog
      title={before === undefined ? 'Add an MCP server' : `Change ${before.name}`}
      onClose={onClose}
    >
      <Form
        submit={before === undefined ? 'Add' : 'Change'}
        onCancel={onClose}
        onSubmit={async (values) => {
          await guildhall.put('/api/projects/{project_id}/mcp-servers/{name}', {
            project_id: projectId,
            name: before?.name ?? (values.name ?? '').trim(),
            body: {
              ...(kind === 'url' ? addressOf(values) : commandOf(values)),
              turns: (['plan', 'build'] as const).filter((turn) => values[turn] === 'on'),
              read_only: values.read_only === 'on',
            },
          });
          await refreshProject(projectId);
          onClose();
        }}
      >
        {before === undefined && (
          <TextField
            name="name"
            label="Name"
            required
            autoComplete="off"
            spellCheck="false"
            placeholder="docs"
            hint="Letters, digits, underscores and hyphens."
          />
        )}
        <SelectField
          name="kind"
          label="Where it is"
          options={KINDS}
          defaultValue={kind}
          onChange={setKind}
        />
        {kind === 'url' ? <AtAddress before={before} /> : <ByCommand before={before} />}
        <fieldset className="flex flex-col gap-2">
          <legend className="pb-1 font-medium">Who gets it</legend>
          <CheckField
            name="build"
            label="Turns that build"
            defaultChecked={before?.turns.includes('build') ?? true}
          />
          <CheckField
            name="plan"
            label="Turns that plan"
            defaultChecked={before?.turns.includes('plan') ?? false}
            hint="They get no secrets, and only servers that change nothing."
          />
        </fieldset>
        <CheckField
          name="read_only"
          label="It changes nothing"
          defaultChecked={before?.read_only ?? false}
          hint="Neither there nor elsewhere, whatever an agent asks of it. Nothing checks this."
        />
      </Form>
    </Dialog>
  );
}

function AtAddress({ before }: { before: McpServer | undefined }): ReactNode {
  return (
    <>
      <TextField
        name="url"
        label="Address"
        required
        inputMode="url"
        spellCheck="false"
        placeholder="https://mcp.example.com/mcp"
        defaultValue={before?.url ?? ''}
        hint="Its host has to be on the list for agents, under Network."
      />
      <TextArea
        name="headers"
        label="Headers"
        rows={2}
        placeholder={`Authorization: Bearer ${REFERENCE}`}
        defaultValue={
          before?.headers.map(({ name, value }) => `${name}: ${value}`).join('\n') ?? ''
        }
        hint={`One a line. ${REFERENCE} stands for a variable that the project has for agents.`}
      />
    </>
  );
}

function ByCommand({ before }: { before: McpServer | undefined }): ReactNode {
  return (
    <>
      <TextField
        name="command"
        label="Command"
        required
        spellCheck="false"
        placeholder="/usr/local/bin/server"
        defaultValue={before?.command ?? ''}
        hint="With its path, as in the image."
      />
      <TextArea
        name="args"
        label="Arguments"
        rows={2}
        defaultValue={before?.args.join('\n') ?? ''}
        hint="One a line."
      />
      <TextArea
        name="env"
        label="Environment"
        rows={2}
        placeholder={`API_TOKEN=${REFERENCE}`}
        defaultValue={before?.env.map(({ name, value }) => `${name}=${value}`).join('\n') ?? ''}
        hint={`One variable a line. ${REFERENCE} stands for a variable that the project has for agents.`}
      />
    </>
  );
}

const addressOf = ({ url = '', headers }: Values) => ({
  url: url.trim(),
  headers: pairsOf(headers, ':'),
});

const commandOf = ({ command = '', args, env }: Values) => ({
  command: command.trim(),
  args: linesOf(args),
  env: pairsOf(env, '='),
});

const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** A line without the sign is a name, which the server then refuses in words. */
const pairsOf = (text: string | undefined, sign: string): { name: string; value: string }[] =>
  linesOf(text).map((line) => {
    const [name = '', ...rest] = line.split(sign);
    return { name: name.trim(), value: rest.join(sign).trim() };
  });
