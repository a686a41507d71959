import { queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

/** The open invitations to the person's address. */
export const myInvitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => guildhall.list('/api/invitations', { limit: 200 }, { signal }).all(),
});

/** After an answer: what the person may open has changed. */
export async function invitationAnswered(): Promise<void> {
  await Promise.all(
    ['invitations', 'inbox', 'workspaces', 'projects'].map((key) =>
      queries.invalidateQueries({ queryKey: [key] }),
    ),
  );
}
