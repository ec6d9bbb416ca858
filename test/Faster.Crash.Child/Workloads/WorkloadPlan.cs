using System.Buffers.Binary;

namespace Faster.Crash.Workloads;

/// <summary>
/// What the sessions of a workload do: every step follows from the plan, the session and the serial number alone, so
/// that a session that was set back repeats the same.
/// </summary>
/// <remarks>
/// Some keys belong to one session, which puts, adds and deletes; the others are shared, and every session only adds to
/// them, which commutes. A value therefore shows which steps it contains, whatever the order in which sessions ran.
/// Immutable.
/// </remarks>
public sealed record WorkloadPlan
{
    /// <summary>The first key of a session is this number times its index plus one.</summary>
    public const int KeysApart = 100_000;

    /// <summary>The number of shared keys to which a unit adds, if there are as many.</summary>
    public const int KeysOfAUnit = 4;

    /// <summary>The bytes that every entry begins with: session, number, length of the filling.</summary>
    public const int EntryPrefix = 12;

    /// <summary>The seed of the steps.</summary>
    public int Seed { get; init; }

    /// <summary>Whether values are entries of varying length, and keys bytes; else both are numbers.</summary>
    public bool Bytes { get; init; }

    /// <summary>Whether what is appended to entries is merged with what is there.</summary>
    public bool Merges { get; init; }

    /// <summary>Whether each operation is durable when it is acknowledged, which the run notes then.</summary>
    public bool IsEachDurable { get; init; }

    /// <summary>
    /// Whether what would add runs as a transaction over two keys instead, the second of them shared; needs two shared
    /// keys.
    /// </summary>
    public bool Transfers { get; init; }

    /// <summary>How many sessions there are.</summary>
    public int Sessions { get; init; } = 3;

    /// <summary>How many keys each session has for itself.</summary>
    public int OwnKeys { get; init; } = 8;

    /// <summary>How many keys all sessions share.</summary>
    public int SharedKeys { get; init; } = 6;

    /// <summary>The most bytes of filling in an entry.</summary>
    public int LongestFilling { get; init; } = 40;

    /// <summary>
    /// The points after which sessions that were set back issued other operations than before: what a crash has taken
    /// must not come back, and would be hidden if the same operations were repeated.
    /// </summary>
    public IReadOnlyList<Turn> Turns { get; init; } = [];

    /// <summary>
    /// Operations that were accepted and then failed, with an error to their session: they have a number and no effect.
    /// </summary>
    public IReadOnlySet<(int Session, long Number)> Failed { get; init; } = new HashSet<(int, long)>();

    /// <summary>Whether there are batches under one number, of which a failure may leave a part.</summary>
    public bool HasUnits { get; init; } = true;

    /// <summary>All keys.</summary>
    public IEnumerable<int> Keys => Enumerable.Range(0, SharedKeys).Concat(
        Enumerable.Range(0, Sessions).SelectMany(s => Enumerable.Range(KeysApart * (s + 1), OwnKeys)));

    /// <summary>The name of a session.</summary>
    public static string NameOf(int session) => $"session-{session}";

    /// <summary>The step of a session with a serial number.</summary>
    public Step StepOf(int session, long number)
    {
        int seed = Turns.LastOrDefault(turn => number > turn.After[session].Serial)?.Seed ?? Seed;
        ulong hash = Mix(Mix(Mix((ulong)seed) + (uint)session) + (ulong)number);
        bool shared = SharedKeys > 0 && (OwnKeys == 0 || hash % 16 < 7);
        int choice = (int)((hash >> 8) % 16);
        StepKind kind = (shared, choice) switch
        {
            (true, < 9) => StepKind.Add,
            (true, < 13) => StepKind.AwaitedAdd,
            (true, 13) => HasUnits && (Transfers || !IsEachDurable) ? StepKind.Unit : StepKind.Add,
            (true, _) => StepKind.Read,
            (false, < 4) => StepKind.Add,
            (false, < 6) => StepKind.AwaitedAdd,
            (false, < 12) => StepKind.Put,
            (false, 12) when HasUnits && IsEachDurable => StepKind.Unit,
            (false, < 14) => StepKind.Delete,
            _ => StepKind.Read,
        };
        if (Transfers && kind is (StepKind.Add or StepKind.AwaitedAdd)) kind = StepKind.Transfer;
        if (Transfers && kind == StepKind.Read && choice % 2 != 0) kind = StepKind.Refused;
        if (Failed.Contains((session, number))) kind = StepKind.Read;
        int key = shared
            ? (int)((hash >> 16) % (uint)SharedKeys)
            : (KeysApart * (session + 1)) + (int)((hash >> 16) % (uint)OwnKeys);
        var step = new Step(session, number, kind, key, Bytes ? EntryOf(session, number, hash) : WeightOf(hash));
        return kind switch
        {
            StepKind.Unit => step with { Keys = KeysOf(key) },
            StepKind.Transfer or StepKind.Refused => step with { Keys = [key, OtherThan(key, hash)] },
            _ => step,
        };
    }

    /// <summary>This plan up to some points, with other steps after them.</summary>
    public WorkloadPlan TurnAt(SessionPoint[] points, int seed) =>
        this with { Turns = [.. Turns, new Turn(points, seed)] };

    /// <summary>Scatters a number's bits.</summary>
    public static ulong Mix(ulong value)
    {
        value += 0x9E3779B97F4A7C15;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }

    private static byte[] WeightOf(ulong hash) => BitConverter.GetBytes(Mix(hash));

    // Of shared keys; where others would make durable what they have seen of a unit, of the session's own ones.
    private int[] KeysOf(int key)
    {
        int first = key - (key % KeysApart), count = key < KeysApart ? SharedKeys : OwnKeys;
        return [.. Enumerable.Range(key - first, Math.Min(KeysOfAUnit, count)).Select(at => first + (at % count))];
    }

    // A shared key: of those that are shared, another one.
    private int OtherThan(int key, ulong hash) => key < KeysApart
        ? (key + 1 + (int)((hash >> 32) % (uint)(SharedKeys - 1))) % SharedKeys
        : (int)((hash >> 32) % (uint)SharedKeys);

    private byte[] EntryOf(int session, long number, ulong hash)
    {
        int filling = (int)((hash >> 40) % (uint)(LongestFilling + 1));
        byte[] entry = new byte[EntryPrefix + filling];
        BinaryPrimitives.WriteInt64BigEndian(entry, ((long)session << 48) | number);
        BinaryPrimitives.WriteInt32BigEndian(entry.AsSpan(8), filling);
        entry.AsSpan(EntryPrefix).Fill((byte)hash);
        return entry;
    }
}
