using Faster.Contracts;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>
/// Appends records to a region and acknowledges them by tickets of a group sync, on one thread, so that a power cut can
/// come between any two steps; and the model of what a power cut must leave.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class RecordWorkload
{
    private const int MaxBytes = 300;

    private readonly PersistentRegion _region;
    private readonly Random _random;
    private readonly Queue<(long Ticket, int Records)> _waiting = new();
    private readonly List<byte[]> _appended = [];
    private long _tail;
    private long _flushed;
    private int _flushedRecords;
    private bool _isFull;

    public RecordWorkload(PersistentRegion region, int seed)
    {
        _region = region;
        _random = new Random(seed);
    }

    /// <summary>How many records, from the first, are acknowledged.</summary>
    public int Acknowledged { get; private set; }

    /// <summary>How many records were appended.</summary>
    public int Appended => _appended.Count;

    /// <summary>
    /// Checks what a power cut has left: whole records, all of those that were acknowledged, and no others than were
    /// appended.
    /// </summary>
    /// <returns>What is wrong, or null.</returns>
    public string? Judge(ReadOnlySpan<byte> image, int acknowledged)
    {
        List<byte[]> found = RecordList.Read(image);
        if (found.Count < acknowledged)
            return $"{found.Count} records are there, but {acknowledged} were acknowledged";
        if (found.Count > Appended) return $"{found.Count} records are there, but {Appended} were appended";
        for (int i = 0; i < found.Count; i++)
        {
            if (!found[i].AsSpan().SequenceEqual(_appended[i])) return $"record {i} is torn";
        }

        return null;
    }

    /// <summary>Runs to the end of the region.</summary>
    /// <param name="afterStep">Called where a power cut may come; also within a sync, before and after it.</param>
    public void Run(Action afterStep)
    {
        GroupSync? group = null;
        void Sync()
        {
            Step();
            if (_random.Next(2) == 0) Work(group!, mayEnd: false); // writers go on while a sync runs
            _region.Fence();
            if (_random.Next(2) == 0) Work(group!, mayEnd: false);
            Step();
        }

        void Step()
        {
            Acknowledge(group!);
            afterStep();
        }

        using (group = new GroupSync(_region.Name, Sync, startsThread: false))
        {
            while (Work(group, mayEnd: true))
            {
                Step();
                if (_random.Next(3) == 0) group.RunOnce();
                Step();
            }

            while (group.RunOnce()) Step();
            Step();
        }
    }

    // Appends a record, flushes what was appended, or takes a ticket.
    private bool Work(GroupSync group, bool mayEnd)
    {
        if (_isFull) return false;
        int length = _random.Next(1, MaxBytes);
        if (_tail + RecordList.SizeOf(length) > _region.Length)
        {
            if (!mayEnd) return false;
            _isFull = true;
            Flush();
            _waiting.Enqueue((group.TakeTicket(), _flushedRecords));
            return false;
        }

        byte[] bytes = new byte[length];
        _random.NextBytes(bytes);
        RecordList.Store(_region.Pointer + _tail, Appended, bytes);
        _appended.Add(bytes);
        _tail += RecordList.SizeOf(length);
        if (_random.Next(3) == 0) return true;
        Flush();
        if (_random.Next(3) != 0) _waiting.Enqueue((group.TakeTicket(), _flushedRecords));
        return true;
    }

    // In two ranges, the later one first, so that a fence has more than one.
    private void Flush()
    {
        long middle = (_flushed + _tail) / 2;
        _region.Flush(middle, _tail - middle);
        _region.Flush(0, 1); // a line that is not a neighbor
        _region.Flush(_flushed, middle - _flushed);
        _flushed = _tail;
        _flushedRecords = Appended;
    }

    private void Acknowledge(GroupSync group)
    {
        while (_waiting.TryPeek(out (long Ticket, int Records) next) && group.DurableUpTo >= next.Ticket)
        {
            Acknowledged = Math.Max(Acknowledged, next.Records);
            _waiting.Dequeue();
        }
    }
}
