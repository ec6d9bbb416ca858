using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Suites;

/// <summary>
/// Each kind of parameter of a transaction, with its record there or absent, and each way to end, in each form.
/// </summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class TransactionSteps<TEngine>
    where TEngine : ITransactionEngine
{
    public static TheoryData<CallForm> Forms => [.. Enum.GetValues<CallForm>()];

    [Theory]
    [MemberData(nameof(Forms))]
    public Task A_transaction_changes_all_of_its_records_or_none(CallForm form) => WithSession(async session =>
    {
        _ = session.Upsert(1, 10);
        Assert.Equal(TransactionStatus.Committed, await session.TransferAsync(form, 1, 2, 4));
        Assert.Equal([6, 4], session.Balances(1, 2));
        Assert.Equal(TransactionStatus.Aborted, await session.TransferAsync(form, 1, 2, 7));
        Assert.Equal(TransactionStatus.Aborted, await session.TransferAsync(form, 3, 1, 1));
        Assert.Equal([6, 4, null], session.Balances(1, 2, 3));
        Assert.Equal(TransactionStatus.Committed, await session.TransferAsync(form, 3, 4, 0));
        Assert.Equal([0, 0], session.Balances(3, 4));
        Assert.Equal(10, await session.AuditAsync(form, 1, 2));
        Assert.Equal(4, await session.AuditAsync(form, 5, 2));
        Assert.Equal([null], session.Balances(5));
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task Null_is_an_absent_record(CallForm form) => WithSession(async session =>
    {
        await session.InheritAsync(form, 1, 2);
        Assert.Equal([null, null], session.Balances(1, 2));
        _ = session.Upsert(1, 0);
        await session.InheritAsync(form, 1, 2);
        Assert.Equal([null, 2], session.Balances(1, 2)); // the key of the heir is added
        await session.InheritAsync(form, 2, 1);
        Assert.Equal([3, null], session.Balances(1, 2));
        await session.InheritAsync(form, 2, 1);
        Assert.Equal([3, null], session.Balances(1, 2));
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task A_set_has_the_records_of_its_keys(CallForm form) => WithSession(async session =>
    {
        session.Upsert([1, 2, 3], [100, 20, 1]);
        Assert.Equal((121, 3), await session.SumAsync(form, 3, 2, 1, 9));
        Assert.Equal((0, 0), await session.SumAsync(form));
        Assert.Equal(TransactionStatus.Committed, await session.PayAllAsync(form, 1, [2, 4], [3], 5));
        Assert.Equal([90, 25, 1, 5], session.Balances(1, 2, 3, 4));
        Assert.Equal(TransactionStatus.Aborted, await session.PayAllAsync(form, 1, [2, 6], [3], 50));
        Assert.Equal([90, 25, 1, null], session.Balances(1, 2, 3, 6));
        await session.EmptyAsync(form, [2, 7, 3], 8);
        Assert.Equal([90, null, null, null, 26], session.Balances(1, 2, 3, 7, 8));
        await session.EmptyAsync(form, [2, 3], 9);
        Assert.Equal([null], session.Balances(9));
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task A_record_that_is_not_accessed_is_not_created(CallForm form) => WithSession(async session =>
    {
        _ = session.Upsert(1, 10);
        _ = session.Upsert(3, 1);
        Assert.Equal(TransactionStatus.Committed, await session.PayAllAsync(form, 1, [4, 5], [3, 6], 2));
        Assert.Equal([8, 2, null, null], session.Balances(1, 4, 5, 6)); // the rate of 5 is the absent 6
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task Equal_keys_have_one_record(CallForm form) => WithSession(async session =>
    {
        session.Upsert([1, 2, 3], [100, 0, 1]);
        // The payer among the payees, another one twice, and the rate among them.
        Assert.Equal(TransactionStatus.Committed, await session.PayAllAsync(form, 1, [1, 2, 2], [3], 10));
        Assert.Equal([80, 20, 1], session.Balances(1, 2, 3));
        Assert.Equal(TransactionStatus.Committed, await session.PayAllAsync(form, 1, [3, 2], [3], 1));
        Assert.Equal([77, 22, 2], session.Balances(1, 2, 3)); // what it has paid to 3 is the next rate
        Assert.Equal((154, 2), await session.SumAsync(form, 1, 1));
        // The account that is emptied into is emptied itself, when it has both balances, and gets them back.
        await session.EmptyAsync(form, [2, 1, 2], 1);
        Assert.Equal([99, null], session.Balances(1, 2));
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task Equal_keys_of_single_records_are_refused(CallForm form) => WithSession(async session =>
    {
        _ = session.Upsert(1, 10);
        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(
            () => session.TransferAsync(form, 1, 1, 1));
        Assert.Equal("to", error.ParamName);
        await Assert.ThrowsAsync<ArgumentException>(() => session.AuditAsync(form, 2, 2));
        Assert.Equal([10, null], session.Balances(1, 2));
    });

    [Fact]
    public Task A_batch_runs_in_order_and_refuses_equal_keys_before_any_has_run() => WithSession(session =>
    {
        _ = session.Upsert(1, 10);
        var statuses = new TransactionStatus[3];
        Assert.Throws<ArgumentException>(() => session.TransferBatch([1, 2, 3], [2, 3, 3], [1, 1, 1], statuses));
        Assert.Throws<ArgumentException>(() => session.TransferBatch([1, 2, 3], [2, 3, 4], [1, 1], statuses));
        Assert.Throws<ArgumentException>(() => session.TransferBatch([1, 2], [2, 3], [1, 1], statuses));
        Assert.Equal([10, null], session.Balances(1, 2));
        session.TransferBatch([1, 1, 2], [2, 3, 3], [6, 5, 2], statuses);
        Assert.Equal(
            [TransactionStatus.Committed, TransactionStatus.Aborted, TransactionStatus.Committed], statuses);
        Assert.Equal([4, 4, 2], session.Balances(1, 2, 3));
        session.TransferBatch([], [], [], []);
        return Task.CompletedTask;
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task The_output_is_that_of_the_run(CallForm form) => WithSession(async session =>
    {
        _ = session.Upsert(1, 10);
        Assert.Equal(new(TransactionStatus.Committed, 7), await session.WithdrawAsync(form, 1, static _ => 3));
        Assert.Equal(new(TransactionStatus.Aborted, -1), await session.WithdrawAsync(form, 1, static _ => 8));
        Assert.Equal([7], session.Balances(1));
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task An_exception_changes_nothing_and_reaches_the_caller(CallForm form) => WithSession(async session =>
    {
        _ = session.Upsert(1, 10);
        await Assert.ThrowsAsync<FormatException>(
            () => session.WithdrawAsync(form, 1, static _ => throw new FormatException()));
        await Assert.ThrowsAsync<FormatException>(
            () => session.WithdrawAsync(form, 2, static _ => throw new FormatException()));
        Assert.Equal([10, null], session.Balances(1, 2));
        Assert.Equal(TransactionStatus.Committed, await session.TransferAsync(form, 1, 2, 4));
    });

    [Theory]
    [MemberData(nameof(Forms))]
    public Task A_call_from_inside_is_refused(CallForm form) => WithSession(async session =>
    {
        await Assert.ThrowsAsync<SessionMisuseException>(() => session.WithdrawAsync(
            form, 1, old => session.Upsert(1, 5) == Status.Ok ? old : 1));
        await Assert.ThrowsAsync<SessionMisuseException>(() => session.WithdrawAsync(
            form, 1, old => session.Transfer(1, 2, 0) == TransactionStatus.Committed ? old : 1));
        Assert.Equal([null], session.Balances(1));
        session.Dispose();
        await Assert.ThrowsAsync<SessionMisuseException>(() => session.TransferAsync(form, 1, 2, 0));
    });

    [Fact]
    public Task A_dynamic_transaction_reads_what_it_has_written() => WithSession(async session =>
    {
        session.Upsert([1, 2, 3], [10, 20, 30]);
        Assert.Equal(TransactionStatus.Committed, session.Rotate([1, 2, 3], out long moved));
        Assert.Equal(60, moved);
        Assert.Equal([30, 10, 20], session.Balances(1, 2, 3));
        Assert.Equal(new(TransactionStatus.Committed, 50), await session.RotateAsync([3, 4, 1]));
        Assert.Equal([null, 10, 30, 20], session.Balances(1, 2, 3, 4));
    });

    [Fact]
    public Task A_dynamic_transaction_that_does_not_commit_changes_nothing() => WithSession(async session =>
    {
        session.Upsert([1, 2], [10, -50]);
        Assert.Equal(new(TransactionStatus.Aborted, -40), await session.RotateAsync([1, 2]));
        Assert.Throws<IndexOutOfRangeException>(() => session.Rotate([], out _));
        Assert.Equal([10, -50], session.Balances(1, 2));
    });

    private static Task WithSession(Func<Accounts.ISession, Task> test) => Task.Run(async () =>
    {
        await using Accounts.IStore store = await TEngine.OpenAccountsAsync();
        await using Accounts.ISession session = store.StartSession();
        await test(session);
    });
}
