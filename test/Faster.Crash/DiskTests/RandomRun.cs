using System.Globalization;
using Faster.Crash.Disk;
using Faster.Devices.Folders;

namespace Faster.Crash.DiskTests;

/// <summary>Random calls on a crash disk, and what must be durable after them, tracked in the simplest way.</summary>
internal static class RandomRun
{
    /// <summary>Makes the calls.</summary>
    /// <param name="seed">Chooses the calls.</param>
    /// <param name="calls">How many calls.</param>
    /// <param name="certain">
    /// The files whose name and content have been synced and not touched since.
    /// </param>
    public static CrashDisk Go(int seed, int calls, out Dictionary<string, string> certain)
    {
        var random = new Random(seed);
        var disk = new CrashDisk();
        StoreFiles files = disk.Mount();
        Dictionary<string, string> content = [];
        Dictionary<string, string> synced = [];
        certain = [];
        for (int i = 0; i < calls; i++)
        {
            string name = ((char)('a' + random.Next(4))).ToString();
            switch (random.Next(9))
            {
                case < 2:
                    Overwrite(random, files, name, i, content);
                    synced.Remove(name);
                    certain.Remove(name);
                    break;
                case < 5 when content.ContainsKey(name):
                    using (StoreFile file = files.Open(name)) file.Sync();
                    synced[name] = content[name];
                    break;
                case 5 when content.ContainsKey(name):
                    string to = ((char)('a' + random.Next(4))).ToString();
                    files.Rename(name, to);
                    if (to == name) break;
                    Move(content, name, to);
                    Move(synced, name, to);
                    certain.Remove(name);
                    certain.Remove(to);
                    break;
                case 6 when content.ContainsKey(name):
                    files.Delete(name);
                    content.Remove(name);
                    synced.Remove(name);
                    certain.Remove(name);
                    break;
                case > 6:
                    files.SyncNames();
                    certain = new Dictionary<string, string>(synced);
                    break;
            }
        }

        return disk;
    }

    private static void Overwrite(
        Random random, StoreFiles files, string name, int i, Dictionary<string, string> content)
    {
        string text = new('x', random.Next(1, 1500));
        text = i.ToString(CultureInfo.InvariantCulture) + text;
        using StoreFile file = files.Create(name);
        file.Put(text, 0);
        content[name] = text;
    }

    private static void Move(Dictionary<string, string> map, string from, string to)
    {
        map.Remove(to);
        if (map.Remove(from, out string? text)) map[to] = text;
    }
}
