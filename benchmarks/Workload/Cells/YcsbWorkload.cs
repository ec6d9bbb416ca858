using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Faster.Workload.Cells;

/// <summary>
/// What the operations of a run are: one of YCSB's workloads or of the paper's mixes, by name
/// (docs/performance/benchmarks.md).
/// </summary>
/// <param name="Name">As it is written.</param>
/// <param name="Reads">The part that reads, from 0 to 1.</param>
/// <param name="Update">What the others do.</param>
internal sealed record YcsbWorkload(string Name, double Reads, UpdateKind Update)
{
    private const long FirstAbsent = 1L << 32; // above every key that is loaded

    private static readonly Dictionary<string, YcsbWorkload> Named = new YcsbWorkload[]
    {
        new("a", 0.5, UpdateKind.Upsert),
        new("b", 0.95, UpdateKind.Upsert),
        new("c", 1, UpdateKind.None),
        new("d", 0.95, UpdateKind.Insert),
        new("f", 0.5, UpdateKind.Rmw),
        new("w", 0.5, UpdateKind.Upsert),
        new("upsert", 0, UpdateKind.Upsert),
        new("rmw", 0, UpdateKind.Rmw),
        new("absent", 1, UpdateKind.None) { Reading = ReadKind.Absent },
        new("dependent", 1, UpdateKind.None) { Reading = ReadKind.Dependent },
    }.ToDictionary(w => w.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>What its reads are.</summary>
    public ReadKind Reading { get; private init; }

    /// <summary>The names, without the mixes R:BU.</summary>
    public static IReadOnlyCollection<string> Names => Named.Keys;

    /// <summary>A workload that has a name.</summary>
    public static YcsbWorkload Known(string name) => Named[name];

    /// <summary>Reads what a user wrote: a name, or a mix of reads and blind updates in percent.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out YcsbWorkload? workload)
    {
        if (Named.TryGetValue(text, out workload))
            return true;
        string[] parts = text.Split(':');
        if (parts.Length == 2
            && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out int reads)
            && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int updates)
            && reads + updates == 100)
        {
            workload = new YcsbWorkload(
                $"{reads}:{updates}", reads / 100.0, updates == 0 ? UpdateKind.None : UpdateKind.Upsert);
        }

        return workload is not null;
    }

    /// <summary>
    /// How its keys are drawn when a user asks for <paramref name="asked"/>: d is about the latest keys, w about a
    /// working set.
    /// </summary>
    public KeyDistribution DistributionFor(KeyDistribution asked) => Name switch
    {
        "d" => KeyDistribution.Latest,
        "w" => asked == KeyDistribution.Moving ? KeyDistribution.Moving : KeyDistribution.HotSet,
        _ => asked,
    };

    /// <summary>Whether a user may ask for so drawn keys: the latest ones are of workloads that insert.</summary>
    public bool Allows(KeyDistribution asked) =>
        asked != KeyDistribution.Latest || Update == UpdateKind.Insert;

    /// <summary>
    /// The part of the keys in a stream that stand for themselves: all of them where all operations are alike.
    /// </summary>
    public double DrawnReads => Reads == 0 ? 1 : Reads;

    /// <summary>Has a worker do a chunk of its operations.</summary>
    /// <returns>The sum of the keys that the values tell; of absent keys, the sum of the keys drawn.</returns>
    /// <exception cref="WrongAnswerException">An absent key was found.</exception>
    public long Work(IWorker worker, ReadOnlySpan<long> keys, long mark)
    {
        switch (Update)
        {
            case UpdateKind.None when Reading == ReadKind.Absent:
                return ReadAbsent(worker, keys);
            case UpdateKind.None when Reading == ReadKind.Dependent:
                return ReadDependent(worker, keys);
            case UpdateKind.None:
                return worker.Read(keys);
            case UpdateKind.Rmw when Reads == 0:
                worker.Rmw(keys);
                return 0;
            case UpdateKind.Rmw:
                return worker.MixedRmw(keys);
            case UpdateKind.Upsert when Reads == 0:
                worker.Upsert(keys, mark);
                return 0;
            default:
                return worker.Mixed(keys, mark);
        }
    }
    private static long ReadAbsent(IWorker worker, ReadOnlySpan<long> keys)
    {
        Span<long> absent = stackalloc long[KeyStream.ChunkLength];
        for (int i = 0; i < keys.Length; i++)
            absent[i] = FirstAbsent + keys[i];
        long counted = worker.CountAbsent(absent[..keys.Length]);
        return counted == keys.Length ? AnswerCheck.SumOfReads(keys) : throw new WrongAnswerException(
            $"Of {keys.Length} keys that were never loaded, {keys.Length - counted} were found.");
    }

    // A value tells its key, so the lag is zero; but the processor learns it, and the next key, from the value only.
    private static long ReadDependent(IWorker worker, ReadOnlySpan<long> keys)
    {
        long told = 0, lag = 0;
        foreach (long key in keys)
        {
            long next = key + lag;
            long one = worker.Read(new ReadOnlySpan<long>(in next));
            lag = one - key;
            told += one;
        }

        return told;
    }
}
