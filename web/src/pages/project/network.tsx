import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  type Network as Lists,
  networkQuery,
  PURPOSES,
  type Purpose,
  setNetwork,
} from '../../data/network.ts';
import { Anew } from '../../ui/anew.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextArea } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';

const ALL = Object.keys(PURPOSES) as Purpose[];

/** Which hosts the setup, agents, checks and deploys of a project reach: a list for each. */
export function Network({ projectId, may }: { projectId: string; may: boolean }): ReactNode {
  const query = useQuery(networkQuery(projectId));
  return (
    <Section title="Network">
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <>
          <p className="max-w-prose text-muted">
            What runs for this project reaches these hosts, at the ports 443 and 80, and no others.
            One a line; <code>*.example.com</code> stands for all names below example.com.
          </p>
          <Anew read={query.data} version={query.data.etag}>
            {({ network, etag }, sent) => (
              <Fields
                network={network}
                may={may}
                save={(lists) => setNetwork(projectId, lists, etag, sent)}
              />
            )}
          </Anew>
        </>
      )}
    </Section>
  );
}

function Fields({
  network,
  may,
  save,
}: {
  network: Lists;
  may: boolean;
  save: (lists: Partial<Record<Purpose, string[]>>) => Promise<void>;
}): ReactNode {
  return (
    <fieldset disabled={!may} className="contents">
      <Form
        submit="Set the lists"
        disabled={!may}
        onSubmit={async (values) => {
          const changed = ALL.filter((purpose) => values[purpose] !== undefined)
            .map((purpose) => [purpose, linesOf(values[purpose] ?? '')] as const)
            .filter(([purpose, hosts]) => hosts.join(' ') !== network[purpose].join(' '));
          if (changed.length > 0) await save(Object.fromEntries(changed));
        }}
      >
        {ALL.map((purpose) => {
          const given = network.operator[purpose];
          if (network.fixed.includes(purpose))
            return (
              <p key={purpose} className="max-w-prose">
                <span className="font-medium">{PURPOSES[purpose]}:</span> the operator of this
                server decides this list. {given.length === 0 ? 'It is empty.' : given.join(', ')}
              </p>
            );
          return (
            <TextArea
              key={purpose}
              name={purpose}
              label={PURPOSES[purpose]}
              rows={Math.min(10, 2 + network[purpose].length)}
              defaultValue={network[purpose].join('\n')}
              hint={given.length > 0 && `The operator of this server adds: ${given.join(', ')}`}
            />
          );
        })}
      </Form>
    </fieldset>
  );
}

const linesOf = (text: string): string[] => text.split(/\s+/).filter((line) => line !== '');
