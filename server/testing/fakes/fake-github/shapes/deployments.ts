import { isProduction } from '../reports.ts';
import type { Addresses } from '../state.ts';
import {
  type Account,
  type Deployment,
  type DeploymentStatus,
  fullName,
  type Repository,
} from '../state.ts';
import type { Schema } from '../typed.ts';
import { nodeId, time, userShape } from './accounts.ts';

export function deploymentShape(
  deployment: Deployment,
  creator: Account,
  repository: Repository,
  at: Addresses,
) {
  const { id, sha, ref, environment, description, createdAt, updatedAt } = deployment;
  const of = `${at.api}/repos/${fullName(repository)}`;
  const url = `${of}/deployments/${id}`;
  return {
    url,
    id,
    node_id: nodeId('Deployment', id),
    sha,
    ref,
    task: 'deploy',
    payload: {},
    original_environment: environment,
    environment,
    description,
    creator: userShape(creator, at),
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    statuses_url: `${url}/statuses`,
    repository_url: of,
    transient_environment: false,
    production_environment: isProduction(deployment),
    performed_via_github_app: null,
  } satisfies Schema<'deployment'>;
}

export function deploymentStatusShape(
  status: DeploymentStatus,
  { id: deploymentId, environment }: Deployment,
  creator: Account,
  repository: Repository,
  at: Addresses,
) {
  const { id, state, description, environmentUrl, logUrl, at: when } = status;
  const of = `${at.api}/repos/${fullName(repository)}`;
  return {
    url: `${of}/deployments/${deploymentId}/statuses/${id}`,
    id,
    node_id: nodeId('DeploymentStatus', id),
    state,
    creator: userShape(creator, at),
    description,
    environment,
    target_url: logUrl,
    created_at: time(when),
    updated_at: time(when),
    deployment_url: `${of}/deployments/${deploymentId}`,
    repository_url: of,
    environment_url: environmentUrl,
    log_url: logUrl,
    performed_via_github_app: null,
  } satisfies Schema<'deployment-status'>;
}
