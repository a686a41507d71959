import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { environmentQuery, refreshProject } from '../../data/project.ts';
import { Anew } from '../../ui/anew.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextArea, TextField, type Values } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';

type Settings = components['schemas']['Environment'];

/** Where agents, checks and deploys of the project run, and what is done there before. */
export function Environment({ projectId, may }: { projectId: string; may: boolean }): ReactNode {
  const config = useQuery(configQuery);
  const query = useQuery(environmentQuery(projectId));
  const [saved, setSaved] = useState(false);
  const error = insteadOf(config) ?? insteadOf(query);
  if (error) return <Failure error={error} retry={() => void query.refetch()} />;
  if (config.data === undefined || query.data === undefined) return null;
  const images = config.data.images.map(({ id, name }) => ({ value: id, label: name }));
  const { image } = query.data.settings;
  if (image !== undefined && !images.some(({ value }) => value === image))
    images.push({ value: image, label: `${image} (no longer offered)` });
  async function save(values: Values, etag: string | undefined, sent: () => void): Promise<void> {
    setSaved(false);
    try {
      await guildhall.put(
        '/api/projects/{project_id}/environment',
        { project_id: projectId, body: settingsOf(values) },
        etag === undefined ? {} : { ifMatch: etag },
      );
      sent();
      setSaved(true);
    } finally {
      await refreshProject(projectId);
    }
  }
  return (
    <Section title="Environment">
      <p className="max-w-prose text-muted">
        What is set here is used instead of <code>environment</code> in <code>.guildhall.yml</code>,
        in pods that are made from now on. An empty field leaves the choice to that file.
      </p>
      {saved && <Notice onClose={() => setSaved(false)}>The environment was saved.</Notice>}
      <fieldset disabled={!may} className="contents">
        <Anew read={query.data} version={query.data.etag}>
          {({ settings, etag }, sent) => (
            <Form
              submit="Set the environment"
              disabled={!may}
              onSubmit={(values) => save(values, etag, sent)}
            >
              {images.length > 0 && (
                <SelectField
                  name="image"
                  label="Image"
                  defaultValue={settings.image ?? ''}
                  options={[{ value: '', label: 'As the file says, or the default' }, ...images]}
                />
              )}
              <TextArea
                name="setup"
                label="Setup command"
                rows={2}
                placeholder="npm ci"
                defaultValue={settings.setup ?? ''}
                hint="A command that runs in each new pod before the agent, a check or a deploy."
              />
              <TextField
                name="setup_timeout_minutes"
                label="Minutes that the setup may take"
                inputMode="numeric"
                placeholder="15"
                defaultValue={settings.setup_timeout_minutes ?? ''}
              />
              <TextArea
                name="cache"
                label="Files that the setup depends on"
                rows={2}
                placeholder="package-lock.json"
                defaultValue={settings.cache?.join('\n') ?? ''}
                hint="One path a line. What the setup has made is kept until one of them changes."
              />
            </Form>
          )}
        </Anew>
      </fieldset>
    </Section>
  );
}

function settingsOf(values: Values): Settings {
  const { image = '', setup = '', setup_timeout_minutes: minutes = '', cache = '' } = values;
  const paths = cache.split('\n').flatMap((line) => line.trim() || []);
  return {
    ...(image === '' ? {} : { image }),
    ...(setup.trim() === '' ? {} : { setup: setup.trim() }),
    ...(minutes.trim() === '' ? {} : { setup_timeout_minutes: Number(minutes) }),
    ...(paths.length === 0 ? {} : { cache: paths }),
  };
}
