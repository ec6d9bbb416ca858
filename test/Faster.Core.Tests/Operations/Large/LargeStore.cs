using System.Buffers;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Opening;

namespace Faster.Tests.Operations.Large;

/// <summary>A store of bytes → bytes with pages of 4 KiB, and values of which every byte can be told.</summary>
internal static class LargeStore
{
    public const int Page = 4096;

    public static readonly StoreOptions Options = new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = new ByteSize(Page), ReadCacheFraction = 0, ExpectedKeys = 1_000,
        CommitOnDispose = false,
    };

    public static async Task<FasterStore> OpenAsync(
        StoreOptions? options = null, string? path = null, Device? device = null)
    {
        options ??= Options;
        if (path is null) options = options with { Device = device ?? new MemoryDevice() };
        return await FasterStore.OpenAsync(path, options.For(path), BytesOperations.Schema, default);
    }

    /// <summary>A value of a length that is not any other's, nor a mixture of two.</summary>
    public static byte[] Value(int length, int seed)
    {
        var value = new byte[length];
        new Random(seed).NextBytes(value);
        return value;
    }

    /// <summary>The same bytes in pieces.</summary>
    public static ReadOnlySequence<byte> InPieces(byte[] value, int piece)
    {
        Piece? first = null, last = null;
        for (int at = 0; at < value.Length; at += piece)
        {
            var next = new Piece(value.AsMemory(at, Math.Min(piece, value.Length - at)), at);
            last?.Append(next);
            first ??= next;
            last = next;
        }

        return first is null ? default : new ReadOnlySequence<byte>(first, 0, last!, last!.Memory.Length);
    }

    public static ValueTask<Status> PutAsync(
        this HashSession session, int key, ReadOnlySequence<byte> value, CancellationToken ct = default) =>
        SequenceOperations.UpsertAsync(session, new BytesKey(BitConverter.GetBytes(key)), value, ct);

    /// <summary>Reads in the form that is awaited, into a writer or in one piece.</summary>
    public static ValueTask<byte[]?> ReadAsync(
        this HashSession session, int key, IBufferWriter<byte>? destination = null) =>
        session.ReadAsync(BitConverter.GetBytes(key), destination);

    /// <summary>The same, of any key.</summary>
    public static ValueTask<byte[]?> ReadAsync(
        this HashSession session, byte[] key, IBufferWriter<byte>? destination = null)
    {
        var operation = new AwaitedRead(destination);
        Status status = session.Read(new BytesKey(key), ref operation);
        return status == Status.Pending
            ? operation.Result!.WaitAsync()
            : new ValueTask<byte[]?>(status == Status.Ok ? operation.Value : null);
    }

    /// <summary>Links a record to a value whose fragments have been written, or writes them again.</summary>
    public static void PutPrepared(this HashSession session, int key, LargeWrite prepared)
    {
        var operation = new SequenceUpsert(default, stays: true);
        var bytes = new BytesKey(BitConverter.GetBytes(key));
        Status status = session.Runner.RetryUntilDone<
            UpsertAlgorithm<HashEntries, SequenceUpsert>, BytesKey, SequenceUpsert>(
            bytes, bytes.Hash(session.Attempt.Tier.Seed), ref operation, Outcome.Retry, prepared);
        if (status == Status.Pending) status = operation.Pending!.WaitAsync().AsTask().GetAwaiter().GetResult();
        Assert.Equal(Status.Ok, status);
    }

    /// <summary>Adds 1 to the number that a value of 9,000 bytes begins with.</summary>
    public static void Count(this HashSession session, int key)
    {
        var operation = new Counting();
        if (session.Rmw(new BytesKey(BitConverter.GetBytes(key)), ref operation) == Status.Pending)
            session.CompletePending(wait: true);
    }

    public static Status RemoveBytes(this HashSession session, int key)
    {
        var operation = new Deletion();
        return session.Delete(new BytesKey(BitConverter.GetBytes(key)), ref operation);
    }

    /// <summary>
    /// Removes one of some keys, appends to it or puts it, with a value of any length; a model likewise.
    /// </summary>
    public static void Change(this HashSession session, Dictionary<int, byte[]> model, int keys, Random random)
    {
        int key = random.Next(keys), seed = random.Next();
        byte[] value = Value((int)Math.Pow(30_000, random.NextDouble()), seed);
        switch (random.Next(6))
        {
            case 0:
                _ = session.RemoveBytes(key);
                model.Remove(key);
                break;
            case 1 when model.TryGetValue(key, out byte[]? old) && old.Length < 40_000:
                session.Append(key, value);
                model[key] = [.. old, .. value];
                break;
            default:
                session.PutBytes(key, model[key] = value);
                break;
        }
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory, long at) => (Memory, RunningIndex) = (memory, at);

        public void Append(Piece next) => Next = next;
    }

    private struct AwaitedRead(IBufferWriter<byte>? destination) : IReadOperation
    {
        public byte[] Value = [];
        public AwaitableResult<byte[]?>? Result;

        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public readonly bool IsAwaited => true;

        public readonly IBufferWriter<byte>? Destination => destination;

        public void Capture() => Result = AwaitableResult<byte[]?>.Rent();

        public void SingleRead(ReadOnlySpan<byte> value)
        {
            if (destination is null) Value = value.ToArray();
            else destination.Write(value);
        }

        public void ConcurrentRead(ReadOnlySpan<byte> value) => SingleRead(value);

        public readonly void Complete(Status status, Exception? error) =>
            Result!.Complete(status == Status.Ok ? Value : null, error);
    }

    private readonly struct Counting : IRmwOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => Put(value, 1);

        public bool InPlaceUpdate(ref ValueSlot value) => throw new InvalidOperationException("It is not here.");

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            Put(newValue, BitConverter.ToInt64(oldValue) + 1);

        public void Complete(Status status, Exception? error) => Assert.Null(error);

        private static void Put(ValueBuffer value, long number)
        {
            byte[] bytes = Value(9_000, (int)number);
            BitConverter.TryWriteBytes(bytes, number);
            value.Write(bytes);
        }
    }

    private readonly struct Deletion : IDeleteOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }
}
