import { type ReactNode, useEffect, useState } from 'react';

/** What stands where a page will be. It appears late, because most pages arrive before. */
export function Loading(): ReactNode {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="p-6 text-muted">
      {late ? 'Loading…' : ''}
    </p>
  );
}
