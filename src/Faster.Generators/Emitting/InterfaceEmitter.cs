using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the interfaces of a store and its sessions, with which users replace them in tests. A fake implements the
/// status forms; the other forms have default bodies that call them.
/// </summary>
internal static class InterfaceEmitter
{
    private const string Disposables = "global::System.IAsyncDisposable, global::System.IDisposable";
    private const string ValueTask = "global::System.Threading.Tasks.ValueTask";
    private const string Commit = $"global::System.Threading.Tasks.Task<{Names.Faster}.Commit>";

    public static void Emit(IndentedWriter writer, StoreModel store, IReadOnlyList<OperationPlan> plans)
    {
        Store(writer, store);
        Session(writer, store, plans);
    }

    /// <summary>Writes the members of a store that implement its interface where its own members differ.</summary>
    public static void Implement(IndentedWriter writer, EngineModel engine)
    {
        (string parameter, string argument) = Name(engine);
        writer.Lines($"ISession IStore.StartSession({parameter}) => StartSession({argument});");
        writer.Blank();
        if (!engine.Has(Capabilities.Commits)) return;
        writer.Lines($"{Commit} IStore.CommitAsync({Names.Token} cancellationToken) =>");
        writer.Lines("    CommitAsync(cancellationToken: cancellationToken);");
        writer.Blank();
    }

    private static (string Parameter, string Argument) Name(EngineModel engine) =>
        engine.Has(Capabilities.Commits) ? ("string? name", "name") : ("", "");

    private static void Store(IndentedWriter writer, StoreModel store)
    {
        writer.Lines($$"""
            /// <summary>
            /// The part of a <see cref="Store"/> that code with sessions uses. Take it as a parameter to pass a fake in
            /// tests.
            /// </summary>
            """);
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open($"{store.Accessibility} interface IStore : {Disposables}");
        writer.Lines("/// <summary>Starts a session; all operations go through sessions.</summary>");
        string name = store.Engine.Has(Capabilities.Commits) ? "string? name = null" : "";
        writer.Lines($"ISession StartSession({name});");
        writer.Blank();
        if (store.Engine.Has(Capabilities.Commits))
        {
            writer.Lines("/// <summary>Commits: makes all operations before the call durable.</summary>");
            writer.Lines($"{Commit} CommitAsync(\n    {Names.Token} cancellationToken = default) =>");
            writer.Lines("    throw new global::System.NotSupportedException(\"The store has no folder.\");");
            writer.Blank();
        }

        Close(writer);
    }

    private static void Session(IndentedWriter writer, StoreModel store, IReadOnlyList<OperationPlan> plans)
    {
        writer.Lines("""
            /// <summary>
            /// The operations of a <see cref="Session"/>. Take it as a parameter to pass a fake in tests: a fake
            /// implements the methods that return a status, and the others call these.
            /// </summary>
            """);
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open($"{store.Accessibility} interface ISession : {Disposables}");
        foreach (OperationPlan plan in plans)
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

        writer.Lines("/// <summary>Announces an operation on a key that comes soon. A hint without effect.</summary>");
        writer.Lines($"{SessionMethods.Prefetch(store.Key)} {{ }}");
        writer.Blank();
        if (store.Engine.Has(Capabilities.Pending)) Pending(writer);
        Close(writer);
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

    private static void Pending(IndentedWriter writer)
    {
        writer.Lines($$"""
            /// <summary>Continues the pending operations of the status form, and calls their callbacks.</summary>
            bool CompletePending(bool wait) => true;

            /// <summary>Waits until no operation of the status form is pending.</summary>
            {{ValueTask}} CompletePendingAsync({{Names.Token}} cancellationToken = default) => default;
            """);
        writer.Blank();
    }

    private static void Unsupported(IndentedWriter writer, string subject, string header)
    {
        writer.Lines($"/// <summary>{subject}. A fake that is asked for it implements it.</summary>");
        writer.Lines($"{header} =>");
        writer.Lines("    throw new global::System.NotSupportedException(\"The fake does not implement it.\");");
        writer.Blank();
    }

    private static void Close(IndentedWriter writer) => writer.Lines($$"""
        void global::System.IDisposable.Dispose() { }

        {{ValueTask}} global::System.IAsyncDisposable.DisposeAsync()
        {
            ((global::System.IDisposable)this).Dispose();
            return default;
        }
        """);

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
