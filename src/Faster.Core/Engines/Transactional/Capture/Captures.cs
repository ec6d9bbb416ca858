using Faster.Contracts;
using Faster.Log;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// What the sessions of a store capture of the version being committed, before they change it (paper 004 §4.1): parts
/// that sessions fill and the commit writes, in bounded memory.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A part belongs to one session, or waits to be written. What a failed commit has left is dropped.</item>
/// <item>The parts take no more than the limit, or there is one.</item>
/// </list>
/// <para>Thread-safe: a lock that a session takes once for each part.</para>
/// </remarks>
/// <param name="schema">The schema of the records.</param>
/// <param name="limit">The memory of all parts together in bytes.</param>
internal sealed class Captures(RecordSchema schema, long limit)
{
    private const int PartsOfLimit = 256, LeastPart = 1 << 10, MostPart = 64 << 10, MostIdle = 16;

    private readonly Lock _lock = new();
    private readonly List<SessionCaptures> _sessions = [];
    private readonly Queue<CapturedPart> _full = [];
    private readonly Stack<CapturedPart> _idle = [];
    private long _used;
    private volatile bool _isSwept = true;

    /// <summary>The size of a part in bytes.</summary>
    public int PartBytes { get; } = (int)Math.Clamp(limit / PartsOfLimit, LeastPart, MostPart);

    /// <summary>Signaled whenever space may have become free, or may not be needed any more.</summary>
    public WaitGate Gate { get; } = new();

    /// <summary>The bytes of the parts that are in use.</summary>
    public long Bytes => Volatile.Read(ref _used);

    /// <summary>Begins a commit.</summary>
    public void Begin() => _isSwept = false;

    /// <summary>Says that every record of the version is captured.</summary>
    public void EndSweep()
    {
        _isSwept = true;
        Gate.Signal();
    }

    /// <summary>Adds the captures of a session.</summary>
    public void Add(SessionCaptures session)
    {
        lock (_lock) _sessions.Add(session);
    }

    /// <summary>Takes over what a session that has ended has captured.</summary>
    public void Remove(SessionCaptures session)
    {
        lock (_lock)
        {
            _sessions.Remove(session);
            Take(session);
        }
    }

    /// <summary>Takes a session's part, if it has one, and gives it another.</summary>
    /// <param name="session">The session.</param>
    /// <param name="bytes">The space that the part must have.</param>
    /// <param name="version">The version whose commit it is for.</param>
    /// <returns>False: there is no space; the session has no part.</returns>
    public bool TryTurn(SessionCaptures session, long bytes, long version)
    {
        long size = Math.Max(bytes, PartBytes);
        lock (_lock)
        {
            Take(session);
            if (_used != 0 && _used + size > limit) return false;
            _used += size;
            if (!_idle.TryPop(out CapturedPart? part)) part = new CapturedPart(schema);
            (part.Bytes, part.Version) = (size, version);
            session.Part = part;
            return true;
        }
    }

    /// <summary>Whether a session can get a part, or needs none any more.</summary>
    public bool MayGoOn(long bytes)
    {
        long used = Bytes;
        return used == 0 || used + Math.Max(bytes, PartBytes) <= limit || _isSwept;
    }

    /// <summary>Takes a part to write; the caller calls <see cref="Release"/> afterwards.</summary>
    /// <param name="version">The version being committed.</param>
    public CapturedPart? TakeFull(long version)
    {
        lock (_lock)
        {
            while (_full.TryDequeue(out CapturedPart? part))
            {
                if (part.Version == version) return part;
                Free(part);
            }
        }

        return null;
    }

    /// <summary>Takes the parts of all sessions. None of them captures anything.</summary>
    public void CollectAll()
    {
        lock (_lock)
        {
            foreach (SessionCaptures session in _sessions) Take(session);
        }
    }

    /// <summary>Releases a part that was written.</summary>
    public void Release(CapturedPart part)
    {
        lock (_lock) Free(part);
        Gate.Signal();
    }

    private void Take(SessionCaptures session)
    {
        if (session.Part is not { } part) return;
        session.Part = null;
        if (part.Copies.Bytes == 0) Free(part);
        else _full.Enqueue(part);
    }

    private void Free(CapturedPart part)
    {
        _used -= part.Bytes;
        part.Copies.Clear();
        if (part.Bytes == PartBytes && _idle.Count < MostIdle) _idle.Push(part);
    }
}
