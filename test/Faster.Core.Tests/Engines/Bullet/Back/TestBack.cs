using System.Buffers.Binary;
using Faster.Engines.Bullet.Back;
using Faster.Persistence;

namespace Faster.Tests.Engines.Bullet.Back;

/// <summary>
/// A back over emulated memory, and the model of what it should have; closed and opened again at will.
/// </summary>
internal sealed unsafe class TestBack : IDisposable
{
    /// <summary>What keys and values are in tests.</summary>
    public const string Schema = "long, bytes";

    private const ulong Identity = 0xBAC4;

    private readonly BackShape _shape;
    private readonly Dictionary<long, (byte[]? Value, long Counter)> _model = [];
    private readonly BackValue _read = new();
    private EmulatedRegion _region;
    private long _counter;

    public TestBack(long capacity, BackShape shape)
    {
        _shape = shape;
        _region = new EmulatedRegion(capacity, TimeSpan.Zero);
        Table = Open(_region, shape);
    }

    /// <summary>A shape with few parts and the smallest redo.</summary>
    public static BackShape Small { get; } = new(2, BackLayout.PageBytes, WithRedo: true);

    public BackTable Table { get; private set; }

    /// <summary>The round in which changes are made.</summary>
    public long Round { get; set; } = 1;

    /// <summary>The first byte of the region.</summary>
    public byte* Bytes => _region.Pointer;

    /// <summary>The keys that have a value.</summary>
    public IEnumerable<long> Keys => _model.Where(static pair => pair.Value.Value is not null)
        .Select(static pair => pair.Key);

    public static BackTable Open(PersistentRegion region, BackShape shape) =>
        BackTable.Open(region, shape, Schema, Identity);

    /// <summary>A hash of which all bits are mixed.</summary>
    public static ulong HashOf(long key)
    {
        ulong hash = (ulong)key * 0x9E37_79B9_7F4A_7C15;
        hash = (hash ^ (hash >> 32)) * 0xD6E8_FEB8_6659_FD93;
        return hash ^ (hash >> 32);
    }

    public static byte[] KeyOf(long key)
    {
        byte[] bytes = new byte[sizeof(long) + (int)(key % 3)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, key);
        return bytes;
    }

    public static byte[] ValueOf(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }

    /// <summary>Gives keys values, in as few batches as fit.</summary>
    public void Put(params (long Key, byte[] Value)[] changes) =>
        Change([.. changes.Select(static change => (change.Key, (byte[]?)change.Value))]);

    public void Remove(params long[] keys) => Change([.. keys.Select(static key => (key, (byte[]?)null))]);

    /// <summary>Takes out tombstones in all buckets of all parts.</summary>
    public void Sweep()
    {
        foreach (BackPart part in Table.Parts)
        {
            using BackBatch batch = part.Begin(Round);
            for (int i = 0; i < 1 << 16; i += 64)
            {
                if (!batch.TrySweep(64)) batch.Commit();
            }

            batch.Commit();
        }
    }

    /// <summary>Closes the table without a word, as a crash does, and opens what is in the region.</summary>
    public void Reopen(long growth = 0)
    {
        byte[] image = _region.Image();
        Table.Dispose();
        _region = new EmulatedRegion([.. image, .. new byte[growth]], TimeSpan.Zero);
        Table = Open(_region, _shape);
    }

    /// <summary>Reads each key and compares it with the model; verifies the table.</summary>
    public void AssertSame()
    {
        Table.Verify();
        foreach ((long key, (byte[]? value, long counter)) in _model)
        {
            bool found = Table.TryRead(HashOf(key), KeyOf(key), _read);
            Assert.Equal(value is not null, found);
            if (value is null) Assert.True(_read.Counter == 0 || _read.Counter == counter);
            else Assert.True(_read.Counter == counter && _read.Bytes.SequenceEqual(value));
        }

        var scanned = new HashSet<long>();
        BackScan scan = Table.Scan();
        while (scan.MoveNext())
        {
            long key = BinaryPrimitives.ReadInt64LittleEndian(scan.Key);
            Assert.True(scanned.Add(key) && scan.Key.SequenceEqual(KeyOf(key)));
            Assert.True(scan.Value.SequenceEqual(_model[key].Value) && scan.Counter == _model[key].Counter);
        }

        Assert.True(scanned.SetEquals(Keys));
        Assert.False(Table.TryRead(HashOf(-7), KeyOf(-9), _read));
        Assert.Equal(Keys.Count(), Table.Figures.Entries);
    }

    public void Dispose() => Table.Dispose();

    private void Change((long Key, byte[]? Value)[] changes)
    {
        foreach (var ofPart in changes.GroupBy(change => _shape.PartOf(HashOf(change.Key))))
        {
            using BackBatch batch = Table.Parts[ofPart.Key].Begin(Round);
            foreach ((long key, byte[]? value) in ofPart)
            {
                _counter++;
                BackChange change;
                while ((change = Try(batch, key, value)) == BackChange.Full) batch.Commit();
                Assert.Equal(BackChange.Applied, change);
                Assert.Equal(BackChange.Older, Try(batch, key, value) is var again && again == BackChange.Full
                    ? BackChange.Older : again);
                _model[key] = (value, _counter);
            }

            batch.Commit();
        }
    }

    private BackChange Try(BackBatch batch, long key, byte[]? value) => value is null
        ? batch.TryRemove(HashOf(key), KeyOf(key), _counter)
        : batch.TryPut(HashOf(key), KeyOf(key), value, _counter);
}
