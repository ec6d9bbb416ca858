using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>A session of <see cref="Cells"/> on any engine.</summary>
internal sealed class CellsSession(Cells.ISession session) : CellSession
{
    public override Status Read(long key, out long value, PendingTicket<long> ticket) =>
        session.Read(key, out value, ticket);

    public override Status Upsert(long key, long value, PendingTicket<long> ticket) =>
        session.Upsert(key, value, ticket);

    public override Status Delete(long key, PendingTicket<long> ticket) => session.Delete(key, ticket);

    public override Status Rmw(long key, CellInput input, out long output, PendingTicket<long> ticket) =>
        session.Rmw(key, input, out output, ticket);

    public override bool CompletePending(bool wait) => session.CompletePending(wait);

    public override ValueTask<ReadResult<long>> ReadAsync(long key) => session.ReadAsync(key);

    public override async ValueTask UpsertAsync(long key, long value) =>
        Assert.Equal(Status.Ok, await session.UpsertAsync(key, value));

    public override async ValueTask DeleteAsync(long key) => await session.DeleteAsync(key);

    public override ValueTask<RmwResult<long>> RmwAsync(long key, CellInput input) => session.RmwAsync(key, input);

    public override void ReadBatch(ReadOnlySpan<long> keys, Span<ReadResult<long>> results) =>
        session.Read(keys, results);

    public override void UpsertBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> values) =>
        session.Upsert(keys, values);

    public override void DeleteBatch(ReadOnlySpan<long> keys) => session.Delete(keys);

    public override void Prefetch(long key) => session.Prefetch(key);

    public override void RmwBatch(
        ReadOnlySpan<long> keys, ReadOnlySpan<CellInput> inputs, Span<RmwResult<long>> results) =>
        session.Rmw(keys, inputs, results);

    public override ValueTask DisposeAsync() => session.DisposeAsync();
}
