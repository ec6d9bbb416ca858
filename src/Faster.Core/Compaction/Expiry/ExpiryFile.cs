using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Opening;

namespace Faster.Compaction.Expiry;

/// <summary>
/// Saves the histograms of the times at which the records on disk of one log expire, for the store's next opening
/// (docs/formats/expiries.md). Without the file, all of the log would be read again.
/// </summary>
/// <remarks>
/// The file is a hint, which only decides when compaction pays. It belongs to no commit, and is trusted only up to the
/// address where the log is that of the recovered commit. One writer; not thread-safe.
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="name">The name of the file.</param>
/// <param name="identity">The identity of the store and the log.</param>
/// <param name="commonUntil">
/// The address up to which the log is that of the previous process; 0 if none of it is.
/// </param>
internal sealed class ExpiryFile(StoreFiles files, string name, ulong identity, long commonUntil)
{
    /// <summary>The most parts that are saved.</summary>
    public const int MaxParts = 64;

    private const int MinStepBytes = sizeof(ushort) + sizeof(long);

    /// <summary>The file of a log; null where there is no folder.</summary>
    /// <param name="plan">The plan of the log's tier.</param>
    /// <param name="log">The name of the log in commits.</param>
    public static ExpiryFile? Of(StorePlan plan, string log) => plan.Files is not { } files ? null : new(
        files, StoreFileNames.ExpiriesOf(plan.LogName), plan.Metadata.Identity ^ plan.LogNumber,
        plan.Commit?.LogOf(log).FlushedUntilAddress ?? 0);

    /// <summary>Reads the saved consecutive parts of the log, from the part that holds an address on.</summary>
    /// <exception cref="DamagedDataException">The file can't be trusted.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public List<ExpiryHistogram> Read(long begin)
    {
        if (commonUntil == 0 || !files.List().Contains(name)) return [];
        byte[] bytes = MetadataFile.Read(files, name, MetadataKind.Expiries, out string path);
        List<ExpiryHistogram> parts = Decode(path, bytes, identity);
        parts.RemoveAll(part => part.Until <= begin || part.Until > commonUntil);
        return parts.Count != 0 && parts[0].From <= begin ? parts : [];
    }

    /// <summary>Saves parts, which replace those saved before.</summary>
    /// <exception cref="StorageException">The file can't be written.</exception>
    public void Write(IReadOnlyList<ExpiryHistogram> parts)
    {
        MetadataFile.Prepare(files, name, Encode(parts, identity));
        MetadataFile.Publish(files, name);
    }

    /// <summary>Encodes the file's bytes.</summary>
    public static byte[] Encode(IReadOnlyList<ExpiryHistogram> parts, ulong identity)
    {
        var writer = new MetadataWriter(MetadataKind.Expiries);
        writer.Add(identity);
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

    /// <summary>Decodes the file's bytes.</summary>
    /// <exception cref="DamagedDataException">The bytes can't be trusted.</exception>
    public static List<ExpiryHistogram> Decode(string path, byte[] bytes, ulong identity)
    {
        var reader = new MetadataReader(MetadataKind.Expiries, path, bytes);
        if (reader.Next<ulong>() != identity) throw reader.Damaged("it belongs to another store, or to another log");
        int count = (int)reader.Next<uint>(0, MaxParts, "a number of parts");
        var parts = new List<ExpiryHistogram>(count);
        for (int i = 0; i < count; i++)
        {
            long least = i == 0 ? 0 : parts[^1].Until;
            long from = reader.Next(least, i == 0 ? long.MaxValue - 1 : least, "a part's begin");
            var part = new ExpiryHistogram(
                from, reader.Next(from + 1, long.MaxValue, "a part's end"), reader.Next<long>());
            part.AddLasting(reader.Next(0, long.MaxValue, "a number of lasting bytes"));
            for (int left = reader.NextCount(MinStepBytes, "steps"); left > 0; left--)
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
