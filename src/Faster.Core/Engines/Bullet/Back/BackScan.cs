using System.Numerics;
using Faster.Persistence;

namespace Faster.Engines.Bullet.Back;

/// <summary>Reads all keys that have a value, part after part, while batches go on.</summary>
/// <remarks>
/// <para>Each key that has a value during the whole scan is returned once, with what it had at one moment of it. A
/// bucket of those that there were when the scan of a part began is read under the part's lock, together with all
/// buckets that were split from it since: so an entry that moves is neither missed nor returned twice. The lock is held
/// for that copy only.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="region">The region.</param>
/// <param name="parts">The parts to scan.</param>
internal sealed unsafe class BackScan(PersistentRegion region, BackPart[] parts)
{
    private readonly StagedWords _words = new(region, 1); // reads, and checks offsets
    private readonly List<(int Begin, int KeyBytes, int ValueBytes, long Counter)> _entries = [];
    private byte[] _bytes = new byte[4096];
    private int _part, _filled, _at;
    private BackBuckets? _buckets; // of the part
    private long _bucket, _atFirst; // how many buckets there were when the scan of the part began

    /// <summary>The key that was reached.</summary>
    public ReadOnlySpan<byte> Key => _bytes.AsSpan(_entries[_at].Begin, _entries[_at].KeyBytes);

    /// <summary>What the key has.</summary>
    public ReadOnlySpan<byte> Value =>
        _bytes.AsSpan(_entries[_at].Begin + _entries[_at].KeyBytes, _entries[_at].ValueBytes);

    /// <summary>The number of the change that gave it the value.</summary>
    public long Counter => _entries[_at].Counter;

    /// <summary>Reaches the next key.</summary>
    /// <exception cref="DamagedDataException">An offset leads to no entry.</exception>
    public bool MoveNext()
    {
        _at++;
        while (_at >= _entries.Count)
        {
            if (_part == parts.Length) return false;
            _entries.Clear();
            _at = _filled = 0;
            _ = parts[_part].Lock.Enter();
            try
            {
                Copy(parts[_part].Space);
            }
            finally
            {
                parts[_part].Lock.Exit();
            }

            if (++_bucket < _atFirst) continue;
            _bucket = 0;
            _part++;
        }

        return true;
    }

    private void Copy(PartSpace space)
    {
        if (_bucket == 0)
        {
            _buckets = new BackBuckets(_words, new RegionHeap(_words, space), space.Page);
            _atFirst = _buckets.Count;
        }

        long half = 1L << BitOperations.Log2((ulong)_atFirst), left = _buckets!.Entries;
        bool wasSplit = _bucket < _atFirst - half || _bucket >= half;
        for (long bucket = _bucket; bucket < _buckets.Count; bucket += wasSplit ? 2 * half : half)
        {
            for (long at = _words.Read(_buckets.HeadAt(bucket)); at != 0; at = _words.Read(at + BackEntry.NextAt))
            {
                _buckets.CountStep(ref left, at);
                Copy(_words.EntryAt(at));
            }
        }
    }

    private void Copy(BackEntry entry)
    {
        if (entry.IsTombstone) return;
        int size = entry.Key.Length + entry.Value.Length;
        if (_bytes.Length - _filled < size)
            Array.Resize(ref _bytes, Math.Max((int)Math.Min(2L * _bytes.Length, Array.MaxLength), _filled + size));
        entry.Key.CopyTo(_bytes.AsSpan(_filled));
        entry.Value.CopyTo(_bytes.AsSpan(_filled + entry.Key.Length));
        _entries.Add((_filled, entry.Key.Length, entry.Value.Length, entry.Counter));
        _filled += size;
    }
}
