import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { guildhall } from '../../data/api.ts';
import { configQuery } from '../../data/config.ts';
import { refreshProject } from '../../data/project.ts';
import { queries } from '../../data/queries.ts';
import { Form, SelectField } from '../../ui/form.tsx';
import type { Project } from './project.ts';

/** The version of Odoo that a project is built for: of its throwaway instances, and for its agents. */
export function ErpVersion({ project }: { project: Project }): ReactNode {
  const config = useQuery(configQuery);
  if (config.data === undefined || !project.available_actions.includes('update_project'))
    return null;
  const versions = config.data.erp.versions.map(({ version, status }) => ({
    value: version,
    label: status === 'supported' ? version : `${version} (no longer supported)`,
  }));
  if (!versions.some(({ value }) => value === project.erp_version))
    versions.unshift({ value: project.erp_version, label: project.erp_version });
  return (
    <Form
      submit="Save the version"
      onSubmit={async ({ erp_version, erp_edition }) => {
        await guildhall.put('/api/projects/{project_id}', {
          project_id: project.id,
          body: {
            erp_version: erp_version ?? project.erp_version,
            erp_edition: erp_edition === 'enterprise' ? 'enterprise' : 'community',
          },
        });
        await queries.invalidateQueries({ queryKey: ['projects'] });
        await refreshProject(project.id);
      }}
    >
      <SelectField
        name="erp_version"
        label="Odoo version of the project"
        defaultValue={project.erp_version}
        options={versions}
      />
      <SelectField
        name="erp_edition"
        label="Edition"
        defaultValue={project.erp_edition}
        options={[
          { value: 'community', label: 'Community' },
          { value: 'enterprise', label: 'Enterprise' },
        ]}
      />
    </Form>
  );
}
