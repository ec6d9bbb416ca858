using System.Buffers;
using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.LogSessions;

namespace Faster.Crash.Swarm;

/// <summary>An open session and its client in the model; executes operations in one of their forms.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class SwarmSeat(ICommitSession session, SwarmClient client, bool merges)
{
    private readonly List<Task> _awaited = [];

    /// <summary>The session.</summary>
    public ICommitSession Session => session;

    /// <summary>The time to live of what it writes; zero: it never expires, as in a session without expiry.</summary>
    public TimeSpan TimeToLive
    {
        get => (session as IExpirySession)?.TimeToLive ?? TimeSpan.Zero;
        set => ((IExpirySession)session).TimeToLive = value;
    }

    /// <summary>Its client.</summary>
    public SwarmClient Client => client;

    /// <summary>The operations that wait for the disk: serial numbers and keys.</summary>
    public Dictionary<long, int> Pending { get; } = [];

    /// <summary>The bytes of a key, of several lengths.</summary>
    public static byte[] KeyOf(int key)
    {
        byte[] bytes = new byte[4 + (key % 3 * 9)];
        BitConverter.TryWriteBytes(bytes, key);
        return bytes;
    }

    /// <summary>The key of its bytes.</summary>
    public static int KeyOf(ReadOnlySpan<byte> bytes) => BitConverter.ToInt32(bytes);

    /// <summary>Lets the session commit.</summary>
    public Task<CommitPoint> CommitAsync() => session.CommitAsync();

    /// <summary>Executes an operation that changes something.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="form">Chooses the form.</param>
    public void Do(SwarmOperation operation, int form)
    {
        byte[] bytes = SwarmValue.BytesOf(operation.Seed, operation.Length);
        var key = new BytesKey(KeyOf(operation.Key));
        Status status;
        switch (operation.Act)
        {
            case SwarmAct.Put when form % 3 == 0 && session is HashSession sequences:
                status = SequenceOperations.UpsertAsync(sequences, key, Pieces(bytes), default)
                    .AsTask().GetAwaiter().GetResult();
                break;
            case SwarmAct.Put:
                var put = new EntryOperations.Put(bytes);
                status = session.Upsert(key, ref put);
                break;
            case SwarmAct.Append:
                Awaited? awaited = form % 2 == 0 ? new Awaited() : null;
                status = Append(key, bytes, awaited);
                if (status == Status.Pending && awaited is not null) _awaited.Add(awaited.Task);
                break;
            default:
                var delete = new EntryOperations.Delete();
                status = session.Delete(key, ref delete);
                break;
        }

        if (status == Status.Pending) Pending[operation.Serial] = operation.Key;
    }

    /// <summary>Appends the same bytes to several keys under one serial number.</summary>
    public void DoAll(int[] keys, byte[] bytes, long serial)
    {
        if (merges)
        {
            var batch = new Batch<MergedEntryOperations.Append>(keys, () => new(bytes));
            session.RmwBatch<BytesKey, MergedEntryOperations.Append, Batch<MergedEntryOperations.Append>>(
                ref batch, serial);
        }
        else
        {
            var batch = new Batch<EntryOperations.Append>(keys, () => new(bytes));
            session.RmwBatch<BytesKey, EntryOperations.Append, Batch<EntryOperations.Append>>(ref batch, serial);
        }
    }

    /// <summary>Appends the same bytes to several keys in one transaction.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="bytes">The bytes.</param>
    /// <param name="commits">Whether it ends well; else it takes a number, and changes nothing.</param>
    public TransactionStatus Transact(int[] keys, byte[] bytes, bool commits)
    {
        var set = new KeySet(keys);
        var transfer = new EntryOperations.Transfer(bytes, commits);
        return ((ITransactionSession)session).Run<BytesKey, KeySet, EntryOperations.Transfer>(ref set, ref transfer);
    }

    /// <summary>Reads a key, and waits for the disk if it must; null if the key does not exist.</summary>
    public byte[]? Read(int key)
    {
        var found = new Found();
        var bytes = new BytesKey(KeyOf(key));
        Status status;
        if (merges)
        {
            var read = new MergedEntryOperations.Read(found);
            status = session.Read(bytes, ref read);
        }
        else
        {
            var read = new EntryOperations.Read(found);
            status = session.Read(bytes, ref read);
        }

        if (status == Status.Pending) session.CompletePending(wait: true);
        if (found.Error is not null) throw found.Error;
        return found.Value;
    }

    /// <summary>Completes what waits for the disk.</summary>
    public void Complete()
    {
        session.CompletePending(wait: true);
        Task.WhenAll(_awaited).GetAwaiter().GetResult();
        _awaited.Clear();
        Pending.Clear();
    }

    private Status Append(BytesKey key, byte[] bytes, Awaited? awaited)
    {
        if (merges)
        {
            var merged = new MergedEntryOperations.Append(bytes, awaited);
            return session.Rmw(key, ref merged);
        }

        var append = new EntryOperations.Append(bytes, awaited);
        return session.Rmw(key, ref append);
    }

    // In two pieces, as a caller's pipe may hold it.
    private static ReadOnlySequence<byte> Pieces(byte[] bytes)
    {
        int half = bytes.Length / 2;
        var first = new Piece(bytes.AsMemory(0, half), 0, null);
        var last = new Piece(bytes.AsMemory(half), half, first);
        return new ReadOnlySequence<byte>(first, 0, last, bytes.Length - half);
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory, long index, Piece? before)
        {
            (Memory, RunningIndex) = (memory, index);
            before?.Next = this;
        }
    }

    private readonly struct KeySet(int[] keys) : IKeySet<BytesKey>
    {
        public static int FixedCount => 0;

        public static bool IsReadOnly => false;

        public int Count => keys.Length;

        public BytesKey GetKey(int index) => new(KeyOf(keys[index]));

        public RecordAccess GetAccess(int index) => RecordAccess.Write;
    }

    private readonly struct Batch<TAppend>(int[] keys, Func<TAppend> append) : IBatch<BytesKey, TAppend>
        where TAppend : struct
    {
        public int Count => keys.Length;

        public BytesKey GetKey(int index) => new(KeyOf(keys[index]));

        public TAppend GetOperation(int index) => append();

        public void SetResult(int index, Status status, ref TAppend operation) { }
    }
}
