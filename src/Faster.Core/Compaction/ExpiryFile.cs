using Faster.Checkpoints;
using Faster.Devices;

namespace Faster.Compaction;

/// <summary>
/// What a store knows of the times at which its records on disk expire, kept for its next opening
/// (docs/formats/expiries.md): without it all of the log would be read again.
/// </summary>
/// <remarks>
/// A hint, which decides only when compaction pays: it belongs to no commit, and is believed as far as the log is that
/// of the commit which was recovered. One writer.
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity.</param>
/// <param name="commonUntil">Up to where the log is that of the process before; 0: nowhere.</param>
internal sealed class ExpiryFile(StoreFiles files, ulong storeIdentity, long commonUntil)
{
    /// <summary>The most parts that are kept.</summary>
    public const int MostParts = 64;

    private const int LeastStepBytes = sizeof(ushort) + sizeof(long);

    /// <summary>What was kept of the log from an address on, in parts that follow each other.</summary>
    /// <exception cref="DamagedDataException">The file can't be trusted.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public List<ExpiryHistogram> Read(long begin)
    {
        if (commonUntil == 0 || !files.List().Contains(StoreFileNames.Expiries)) return [];
        byte[] bytes = MetadataFile.Read(files, StoreFileNames.Expiries, MetadataKind.Expiries, out string path);
        List<ExpiryHistogram> parts = Decode(path, bytes, storeIdentity);
        parts.RemoveAll(part => part.Until <= begin || part.Until > commonUntil);
        return parts.Count != 0 && parts[0].From <= begin ? parts : [];
    }

    /// <summary>Keeps them, in the place of what was kept before.</summary>
    /// <exception cref="StorageException">The file can't be written.</exception>
    public void Write(IReadOnlyList<ExpiryHistogram> parts)
    {
        MetadataFile.Prepare(files, StoreFileNames.Expiries, Encode(parts, storeIdentity));
        MetadataFile.Publish(files, StoreFileNames.Expiries);
    }

    /// <summary>The file's bytes.</summary>
    public static byte[] Encode(IReadOnlyList<ExpiryHistogram> parts, ulong storeIdentity)
    {
        var writer = new MetadataWriter(MetadataKind.Expiries);
        writer.Add(storeIdentity);
        writer.Add((uint)parts.Count);
        foreach (ExpiryHistogram part in parts)
        {
            writer.Add(part.From);
            writer.Add(part.Until);
            writer.Add(part.Base);
            writer.Add(part.Lasting);
            int count = 0;
            foreach (long bytes in part.ByStep) count += bytes != 0 ? 1 : 0;
            writer.Add((uint)count);
            for (int step = 0; step < part.ByStep.Length; step++)
            {
                if (part.ByStep[step] == 0) continue;
                writer.Add((ushort)step);
                writer.Add(part.ByStep[step]);
            }
        }

        return writer.End();
    }

    /// <summary>What the file's bytes say.</summary>
    /// <exception cref="DamagedDataException">They can't be trusted.</exception>
    public static List<ExpiryHistogram> Decode(string path, byte[] bytes, ulong storeIdentity)
    {
        var reader = new MetadataReader(MetadataKind.Expiries, path, bytes);
        if (reader.Next<ulong>() != storeIdentity) throw reader.Damaged("it belongs to another store");
        int count = (int)reader.Next<uint>(0, MostParts, "a number of parts");
        var parts = new List<ExpiryHistogram>(count);
        for (int i = 0; i < count; i++)
        {
            long least = i == 0 ? 0 : parts[^1].Until;
            long from = reader.Next(least, i == 0 ? long.MaxValue - 1 : least, "a part's begin");
            var part = new ExpiryHistogram(
                from, reader.Next(from + 1, long.MaxValue, "a part's end"), reader.Next<long>());
            part.AddLasting(reader.Next(0, long.MaxValue, "a number of lasting bytes"));
            for (int left = reader.NextCount(LeastStepBytes, "steps"); left > 0; left--)
            {
                int step = reader.Next<ushort>(0, ExpiryHistogram.StepCount - 1, "a step");
                part.AddStep(step, reader.Next(1, long.MaxValue, "a number of bytes"));
            }

            parts.Add(part);
        }

        reader.End();
        return parts;
    }
}
