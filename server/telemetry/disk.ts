import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';

/**
 * Adds how full the disks of folders are to a registry, by the folder's name. A folder that does
 * not exist here is left out.
 */
export function measureDisk(
  registry: Registry,
  folders: Record<string, string | (() => Promise<string>)>,
): void {
  const gauge = (
    name: string,
    help: string,
    bytesOf: (disk: { bsize: number; bavail: number; blocks: number }) => number,
  ) =>
    new Gauge({
      name: `guildhall_disk_${name}`,
      help,
      labelNames: ['folder'],
      registers: [registry],
      aggregator: 'max',
      async collect() {
        this.reset();
        for (const [folder, place] of Object.entries(folders)) {
          const disk = await statfs(typeof place === 'string' ? place : await place()).catch(
            () => undefined,
          );
          if (disk !== undefined) this.set({ folder }, bytesOf(disk));
        }
      },
    });
  gauge(
    'free_bytes',
    'Bytes that are free on the disk of a folder',
    (disk) => disk.bavail * disk.bsize,
  );
  gauge('size_bytes', 'Size of the disk of a folder in bytes', (disk) => disk.blocks * disk.bsize);
}
