import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SIGNED_IN } from '../data/forget-drafts.ts';
import { sessionQuery } from '../data/session.ts';
import { writeStored } from '../data/storage.ts';

/**
 * The page begins anew when another tab signs out, or signs in as somebody else: what is typed here
 * would else be sent in their name.
 */
export function useSameSession(): void {
  const id = useQuery(sessionQuery).data?.user?.id;
  useEffect(() => {
    if (id === undefined) return;
    writeStored(SIGNED_IN, id);
    const listen = ({ key, newValue }: StorageEvent) => {
      if (key === SIGNED_IN && newValue !== id) location.reload();
    };
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  }, [id]);
}
