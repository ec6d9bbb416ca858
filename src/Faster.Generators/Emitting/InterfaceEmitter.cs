using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the interfaces of a store and its sessions, with which users replace them in tests. A fake implements the
/// status forms; the other forms have default bodies that call them.
/// </summary>
internal static class InterfaceEmitter
{
    private const string NotImplemented = $"throw {Names.Contracts}.FakeMember.NotImplemented()";

    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        StoreModel common = store with { Engine = store.Engine with { Capabilities = store.Common } };
        Store(writer, common);
        if (store.HasCommittingStore) CommittingStore(writer, common);
        Session(writer, common);
    }

    /// <summary>The interface that a store implements.</summary>
    public static string StoreOf(StoreModel store) =>
        store.HasCommittingStore && store.Engine.Has(Capabilities.Commits) ? "ICommittingStore" : "IStore";

    /// <summary>Writes the members of a store that implement its interface where its own members differ.</summary>
    public static void Implement(IndentedWriter writer, StoreModel store)
    {
        bool commits = store.Engine.Has(Capabilities.Commits);
        if (!commits || store.HasCommittingStore)
        {
            writer.Lines("ISession IStore.StartSession() => StartSession();");
            writer.Blank();
        }

        if (!commits) return;
        writer.Lines($"ISession {StoreOf(store)}.StartSession(string? name) => StartSession(name);");
        writer.Blank();
    }

    private static void CommittingStore(IndentedWriter writer, StoreModel store)
    {
        writer.Lines("/// <summary>The same of a store whose engine commits.</summary>");
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open(
            $"{store.Accessibility} interface ICommittingStore : IStore, {Names.Faster}.ICommittingStore");
        writer.Lines("/// <summary>Starts a session, or continues the one of its name.</summary>");
        writer.Lines("ISession StartSession(string? name);");
    }

    private static void Store(IndentedWriter writer, StoreModel store)
    {
        writer.Lines($$"""
            /// <summary>
            /// The part of a <see cref="Store"/> that code with sessions uses. Take it as a parameter to pass a fake in
            /// tests.
            /// </summary>
            """);
        writer.Lines(Names.GeneratedCode);
        bool commits = store.Engine.Has(Capabilities.Commits);
        string contract = $"{Names.Faster}.{(commits ? "ICommittingStore" : "IStore")}";
        using var _ = writer.Open($"{store.Accessibility} interface IStore : {contract}");
        writer.Lines("/// <summary>Starts a session; all operations go through sessions.</summary>");
        writer.Lines($"ISession StartSession({(commits ? "string? name = null" : "")});");
        writer.Blank();
        if (!store.Engine.Has(Capabilities.Scans)) return;
        writer.Lines($$"""
            /// <summary>Scans the live records, or those that the options select.</summary>
            global::System.Collections.Generic.IAsyncEnumerable<Record> ScanAsync(
                {{Names.Faster}}.ScanOptions? options = null, {{Names.Token}} cancellationToken = default) =>
                {{NotImplemented}};
            """);
    }

    private static void Session(IndentedWriter writer, StoreModel store)
    {
        writer.Lines("""
            /// <summary>
            /// The operations of a <see cref="Session"/>. Take it as a parameter to pass a fake in tests: a fake
            /// implements the methods that return a status, and the others call these.
            /// </summary>
            """);
        writer.Lines(Names.GeneratedCode);
        bool commits = store.Engine.Has(Capabilities.Commits);
        string contract = $"{Names.Faster}.{(commits ? "ICommittingSession" : "ISession")}";
        using var _ = writer.Open($"{store.Accessibility} interface ISession : {contract}");
        foreach (OperationPlan plan in OperationPlan.Of(store))
        {
            Status(writer, plan);
            Async(writer, plan);
            if (plan.HasDestination)
            {
                Unsupported(writer, "Reads a value into a writer", SessionMethods.ToDestination(plan));
                Unsupported(writer, "Reads a value into a writer", SessionMethods.ToDestinationAsync(plan));
            }

            if (plan.TakesSequence)
            {
                string subject = SessionMethods.Subject(plan) + ", from a sequence of any length";
                Unsupported(writer, subject, SessionMethods.FromSequence(plan));
            }

            if (plan.Operand is not { BatchType: null }) Batch(writer, plan);
            if (plan.HasStatusBatch) Batch(writer, plan, withStatuses: true);
        }

        foreach (TransactionPlan plan in TransactionPlan.Of(store))
            new TransactionSessionEmitter(writer, plan).EmitInterface();
        writer.Lines("/// <summary>Announces an operation on a key that comes soon. A hint without effect.</summary>");
        writer.Lines($"{SessionMethods.Prefetch(store.Key)} {{ }}");
    }

    private static void Status(IndentedWriter writer, OperationPlan plan)
    {
        string subject = SessionMethods.Subject(plan);
        writer.Lines($"/// <summary>{subject}{(MayPend(plan) ? ", without waiting for the disk" : "")}.</summary>");
        writer.Lines(SessionMethods.Status(plan) + ";");
        writer.Blank();
        if (plan.Store.Context is null) return;
        writer.Lines($"/// <summary>{subject}. Passes no context to the callback.</summary>");
        writer.Lines(SessionMethods.StatusWithoutContext(plan) + " =>");
        writer.Lines($"    {Call(plan, "key", plan.Operand?.Name, "out output")};");
        writer.Blank();
    }

    private static void Async(IndentedWriter writer, OperationPlan plan)
    {
        writer.Lines($"/// <summary>{SessionMethods.Subject(plan)}, and waits for the result.</summary>");
        string header = SessionMethods.Async(plan);
        if (plan.Output is null)
        {
            writer.Lines($"{header} =>");
            writer.Lines($"    new {Names.Task(plan.Result)}({Call(plan, "key", plan.Operand?.Name)});");
            writer.Blank();
            return;
        }

        using var _ = writer.Open(header);
        writer.Lines($"{Names.Status} status = {Call(plan, "key", plan.Operand?.Name, $"out {Output(plan)} output")};");
        writer.Lines($"return new {Names.Task(plan.Result)}({Result(plan)});");
    }

    private static void Batch(IndentedWriter writer, OperationPlan plan, bool withStatuses = false)
    {
        string with = withStatuses ? ", with their statuses" : "";
        writer.Lines($"/// <summary>{SessionMethods.Subject(plan)}, for many keys in one call{with}.</summary>");
        using var _ = writer.Open(withStatuses ? SessionMethods.StatusBatch(plan) : SessionMethods.Batch(plan));
        const string loop = "for (int i = 0; i < keys.Length; i++)";
        string key = Item("keys", KeyForms.BatchType(plan.Store.Key));
        string? operand = plan.Operand is { } o ? Item(o.Name + "s", o.BatchType!) : null;
        if (plan.Output is null)
        {
            writer.Lines($"{loop} {(withStatuses ? "statuses[i] = " : "")}{Call(plan, key, operand)};");
            return;
        }

        using var body = writer.Open(loop);

        writer.Lines($"{Names.Status} status = {Call(plan, key, operand, $"out {Output(plan)} output")};");
        writer.Lines($"results[i] = {Result(plan)};");
    }

    private static void Unsupported(IndentedWriter writer, string subject, string header)
    {
        writer.Lines($"/// <summary>{subject}. A fake that is asked for it implements it.</summary>");
        writer.Lines($"{header} =>");
        writer.Lines($"    {NotImplemented};");
        writer.Blank();
    }

    private static bool MayPend(OperationPlan plan) => plan.Store.Engine.Has(Capabilities.Pending);

    private static string Call(OperationPlan plan, string key, string? operand, string? output = null)
    {
        string context = plan.Store.Context is { } c ? $"default({c.Type})!" : "";
        string?[] arguments = [key, operand, plan.Output is null ? null : output, context];
        return $"{plan.Name}({string.Join(", ", arguments.Where(static a => !string.IsNullOrEmpty(a)))})";
    }

    private static string Item(string span, string type) => type == Names.Memory ? $"{span}[i].Span" : $"{span}[i]";

    private static string Output(OperationPlan plan) => SessionMethods.Nullable(plan.Output!);

    private static string Result(OperationPlan plan) =>
        $"new {plan.Result}({plan.Condition}, {Calls.Forgiving("output", plan.Output!.IsReference)})";
}
