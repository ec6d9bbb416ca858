using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// The signatures of a session's operations in their forms, without modifiers, as the session and its interface have
/// them.
/// </summary>
internal static class SessionMethods
{
    private const string Writer = "global::System.Buffers.IBufferWriter<byte>";
    private const string Sequence = "global::System.Buffers.ReadOnlySequence<byte>";

    /// <summary>Returns what an operation does, as the beginning of a sentence.</summary>
    public static string Subject(OperationPlan plan) => plan.Name switch
    {
        "Read" => "Reads a key's value",
        "Upsert" => "Sets a key's value",
        "Rmw" => "Updates a key's value, or creates it",
        _ => "Deletes a key",
    };

    public static string StatusWithoutContext(OperationPlan plan) =>
        $"{Names.Status} {plan.Name}({Parameters(plan)}{Output(plan)})";

    public static string Status(OperationPlan plan)
    {
        string context = plan.Store.Context is { } c ? $", {c.Type} context" : "";
        return $"{Names.Status} {plan.Name}({Parameters(plan)}{Output(plan)}{context})";
    }

    public static string Async(OperationPlan plan) => $"{Names.Task(plan.Result)} {plan.Name}Async(\n"
        + $"    {Parameters(plan)}, {Names.Token} cancellationToken = default)";

    public static string ToDestination(OperationPlan plan) =>
        $"{Names.Status} Read({Parameters(plan)}, {Writer} destination)";

    public static string ToDestinationAsync(OperationPlan plan) => $"{Names.Task("bool")} ReadAsync(\n"
        + $"    {Parameters(plan)}, {Writer} destination, {Names.Token} cancellationToken = default)";

    public static string FromSequence(OperationPlan plan) => $"{Names.Task(plan.Result)} {plan.Name}Async(\n"
        + $"    {KeyForms.ParameterType(plan.Store.Key)} key, {Sequence} value, "
        + $"{Names.Token} cancellationToken = default)";

    public static string Prefetch(DataModel key) => $"void Prefetch({KeyForms.ParameterType(key)} key)";

    /// <summary>Returns the signature of a batch, with a serial number if the engine commits.</summary>
    public static string Batch(OperationPlan plan, bool isNumbered = true)
    {
        string results = plan.Output is null ? "" : $", global::System.Span<{plan.Result}> results";
        return Batch(plan, results, isNumbered);
    }

    /// <summary>Returns the signature of a batch that fills a span of statuses.</summary>
    public static string StatusBatch(OperationPlan plan, bool isNumbered = true) =>
        Batch(plan, $", global::System.Span<{Names.Status}> statuses", isNumbered);

    private static string Batch(OperationPlan plan, string results, bool isNumbered)
    {
        string operands = plan.Operand is { } o ? $", {Names.Span(o.BatchType!)} {o.Name}s" : "";
        bool commits = isNumbered && plan.Store.Engine.Has(Capabilities.Commits);
        string number = commits ? ",\n    long? serialNumber = null" : "";
        return $"void {plan.Name}(\n"
            + $"    {Names.Span(KeyForms.BatchType(plan.Store.Key))} keys{operands}{results}{number})";
    }

    /// <summary>Returns the type of an output that may be missing: the key is absent, or the operation pends.</summary>
    public static string Nullable(OperandModel output) => output.IsReference ? output.Type + "?" : output.Type;

    private static string Parameters(OperationPlan plan)
    {
        string operand = plan.Operand is { } o ? $", {o.Type} {o.Name}" : "";
        return $"{KeyForms.ParameterType(plan.Store.Key)} key{operand}";
    }

    private static string Output(OperationPlan plan) =>
        plan.Output is { } output ? $", out {Nullable(output)} output" : "";
}
