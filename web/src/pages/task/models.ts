import { useQuery } from '@tanstack/react-query';
import { configQuery } from '../../data/config.ts';
import { projectQuery } from '../../data/project.ts';

/** The models that this server offers, and how the one is called that a task of the project works with. */
export function useModels(projectId: string | undefined) {
  const models = useQuery(configQuery).data?.models ?? [];
  const project = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== undefined });
  const usual = project.data?.default_model ?? models.find(({ is_default }) => is_default)?.id;
  const nameOf = (id = usual): string =>
    models.find((model) => model.id === id)?.name ?? id ?? 'Model';
  return { models, nameOf };
}
