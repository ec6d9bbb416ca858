using System.Buffers.Binary;
using Faster.Contracts;
using Faster.Engines.Bullet.Back;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>
/// What batches of Bullet's back have changed, over several lives: the model of what a power cut must leave.
/// </summary>
/// <remarks>
/// Of each part either what was committed last, or that and the whole batch under way; the same for the root. Values
/// follow from key and number. Not thread-safe.
/// </remarks>
internal sealed class BackModel
{
    /// <summary>The keys, of all parts.</summary>
    public const int Keys = 48;

    private const string Schema = "crash";
    private const ulong Identity = 0xBAC4;

    private readonly Dictionary<long, BackState>[] _committed;
    private readonly Dictionary<long, BackState>?[] _underWay;
    private readonly BackValue _read = new();
    private (long Committed, long UnderWay) _round;

    public BackModel()
        : this(
            [.. Enumerable.Range(0, Shape.Parts).Select(static _ => new Dictionary<long, BackState>())],
            new Dictionary<long, BackState>?[Shape.Parts])
    {
    }

    private BackModel(Dictionary<long, BackState>[] committed, Dictionary<long, BackState>?[] underWay) =>
        (_committed, _underWay) = (committed, underWay);

    /// <summary>How the region is divided.</summary>
    public static BackShape Shape { get; } = new(2, BackLayout.PageBytes, WithRedo: true);

    public static BackTable Open(PersistentRegion region) => BackTable.Open(region, Shape, Schema, Identity);

    public static byte[] KeyOf(long key) => BitConverter.GetBytes(key);

    public static ulong HashOf(long key)
    {
        ulong hash = (ulong)(key + 1) * 0x9E37_79B9_7F4A_7C15;
        return (hash ^ (hash >> 29)) * 0xBF58_476D_1CE4_E5B9;
    }

    /// <summary>The keys of a part.</summary>
    public static long[] KeysOf(int part) =>
        [.. Enumerable.Range(0, Keys).Select(static key => (long)key).Where(key => Shape.PartOf(HashOf(key)) == part)];

    /// <summary>The value that a change gives a key.</summary>
    public static byte[] ValueOf(long counter, int length)
    {
        byte[] value = new byte[length];
        new Random((int)counter).NextBytes(value);
        return value;
    }

    /// <summary>What a part had after its last commit.</summary>
    public IReadOnlyDictionary<long, BackState> Committed(int part) => _committed[part];

    /// <summary>What a power cut now is judged by.</summary>
    public BackModel Copy() => new([.. _committed], [.. _underWay]) { _round = _round };

    /// <summary>Notes a batch whose commit begins.</summary>
    public void Begin(int part, Dictionary<long, BackState> after) => _underWay[part] = after;

    /// <summary>Notes that the commit has returned.</summary>
    public void End(int part)
    {
        _committed[part] = _underWay[part]!;
        _underWay[part] = null;
    }

    /// <summary>Notes a root that is about to be written.</summary>
    public void BeginRoot(long round) => _round.UnderWay = round;

    /// <summary>Notes that it is written.</summary>
    public void EndRoot() => _round.Committed = _round.UnderWay;

    /// <summary>Checks what a power cut has left.</summary>
    /// <param name="image">The region.</param>
    /// <param name="decides">Whether a life begins with it: then the model keeps what is found.</param>
    /// <returns>What is wrong, or null.</returns>
    public string? Judge(ReadOnlySpan<byte> image, bool decides = false)
    {
        try
        {
            using BackTable table = Open(new EmulatedRegion(image, TimeSpan.Zero));
            table.Verify();
            for (int part = 0; part < Shape.Parts; part++)
            {
                if (Judge(table, part, decides) is { } failure) return failure;
            }

            long round = table.Root.Round;
            if (round != _round.Committed && round != _round.UnderWay) return $"the root of round {round} is there";
            if (decides) _round = (round, round);
            return null;
        }
        catch (DamagedDataException e)
        {
            return $"damage is reported where there is none: {e.Message}";
        }
    }

    private string? Judge(BackTable table, int part, bool decides)
    {
        string? before = Compare(table, part, _committed[part]);
        if (before is null || _underWay[part] is not { } after)
        {
            if (decides) _underWay[part] = null;
            return before is null ? null : $"part {part} has not what was committed: {before}";
        }

        if (Compare(table, part, after) is { } wrong)
            return $"part {part} has a part of a batch: {before}, or {wrong}";
        if (decides) End(part);
        return null;
    }

    private string? Compare(BackTable table, int part, Dictionary<long, BackState> expected)
    {
        foreach (long key in KeysOf(part))
        {
            bool found = table.TryRead(HashOf(key), KeyOf(key), _read);
            BackState state = expected.GetValueOrDefault(key);
            if (found != state.HasValue || (found && _read.Counter != state.Counter))
                return $"key {key} has change {_read.Counter} instead of {state.Counter}";
            if (found && !_read.Bytes.SequenceEqual(ValueOf(state.Counter, state.Length)))
                return $"the value of key {key} is torn";
            if (!found && _read.Counter != state.Counter && (_read.Counter != 0 || state.Round > table.Root.Round - 2))
                return $"the tombstone of key {key} is of change {_read.Counter} instead of {state.Counter}";
        }

        return null;
    }
}
