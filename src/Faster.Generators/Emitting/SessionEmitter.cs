using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the session type: each operation in its three forms.</summary>
internal sealed class SessionEmitter(IndentedWriter writer, StoreModel store)
{
    public void Emit(IReadOnlyList<OperationPlan> plans)
    {
        writer.Lines("/// <summary>");
        writer.Lines("/// A logical client of a <see cref=\"Store\"/>.");
        writer.Lines("/// It may move between threads, but its calls never overlap.");
        writer.Lines("/// </summary>");
        writer.Lines(Names.GeneratedCode);
        const string disposables = "global::System.IAsyncDisposable, global::System.IDisposable";
        using var _ = writer.Open($"{store.Accessibility} sealed class Session : {disposables}");
        writer.Lines($"private readonly {Names.EngineSession} _session;");
        writer.Blank();
        writer.Lines($"internal Session({Names.EngineSession} session) => _session = session;");
        writer.Blank();
        writer.Lines("/// <summary>The name by which the session continues after a recovery, or null.</summary>");
        writer.Lines("public string? Name => _session.Name;");
        writer.Blank();
        writer.Lines("/// <summary>The number of operations that wait for the disk.</summary>");
        writer.Lines("public int PendingCount => _session.PendingCount;");
        writer.Blank();
        TimeToLive();
        CommitEmitter.Session(writer);
        foreach (OperationPlan plan in plans)
        {
            Status(plan);
            Async(plan);
            if (plan.HasDestination) ToDestination(plan);
            if (plan.TakesSequence) FromSequence(plan);
            if (plan.Operand is not { BatchType: null }) Batch(plan);
        }

        Rest();
    }

    private void TimeToLive()
    {
        writer.Lines($$"""
            /// <summary>
            /// How long lives what the operations that follow write, from the last write on; zero: for ever. At first
            /// <see cref="{{Names.Faster}}.StoreOptions.TimeToLive"/>. One that waits keeps what it began with.
            /// </summary>
            /// <remarks>
            /// For ever, an update by the user's logic keeps the time that the record has, and one that sets the value
            /// takes it away. The first time that is set in a store waits for calls of others that are under way, so
            /// not in a user function.
            /// </remarks>
            /// <exception cref="global::System.ArgumentOutOfRangeException">The time is negative.</exception>
            public global::System.TimeSpan TimeToLive
            {
                get => _session.TimeToLive;
                set => _session.TimeToLive = value;
            }
            """);
        writer.Blank();
    }

    private static string Subject(OperationPlan plan) => plan.Name switch
    {
        "Read" => "Reads a key",
        "Upsert" => "Sets a key's value, whatever it was",
        "Rmw" => "Updates a key's value, or makes its first one",
        _ => "Deletes a key",
    };

    private void Status(OperationPlan plan)
    {
        string output = plan.IsRead ? $", out {Nullable(store.Output)} output" : "";
        string context = store.Context is { } c ? $", {c.Type} context" : "";
        if (store.Context is not null)
        {
            writer.Lines($"/// <summary>{Subject(plan)}, with no context for the completion callback.</summary>");
            string passed = plan.IsRead ? ", out output" : "";
            string operand = plan.Operand is { } o ? $", {o.Name}" : "";
            writer.Lines($"public {Names.Status} {plan.Name}({Parameters(plan)}{output}) =>");
            writer.Lines($"    {plan.Name}(key{operand}{passed}, default({store.Context.Type})!);");
            writer.Blank();
        }

        writer.Lines($"/// <summary>{Subject(plan)}, without waiting for the disk.</summary>");
        if (plan.IsRead)
        {
            const string what = "What was read; the default unless the status is <c>Ok</c>.";
            writer.Lines($"/// <param name=\"output\">{what}</param>");
            ParameterDocs(plan, hasContext: store.Context is not null);
        }

        const string returns =
            "<c>Ok</c>, <c>NotFound</c>, or <c>Pending</c>: <see cref=\"CompletePending\"/> finishes it.";
        writer.Lines($"/// <returns>{returns}</returns>");
        using (writer.Open($"public {Names.Status} {plan.Name}({Parameters(plan)}{output}{context})"))
        {
            Encode(plan);
            Operation(plan, form: null, store.Context is null ? null : "Context = context");
            if (!plan.IsRead)
            {
                writer.Lines($"return {EngineCall(plan)};");
                return;
            }

            writer.Lines($"{Names.Status} status = {EngineCall(plan)};");
            writer.Lines("output = operation.Output;");
            writer.Lines("return status;");
        }
    }

    private void Async(OperationPlan plan)
    {
        const string speed = "Completes at once, without allocating, unless it waits for the disk.";
        writer.Lines($"/// <summary>{Subject(plan)}. {speed}</summary>");
        ParameterDocs(plan, hasContext: false);
        writer.Lines("/// <param name=\"cancellationToken\">Ends the waiting, not the operation.</param>");
        string header = $"public {Names.Task(plan.Result)} {plan.Name}Async(\n"
            + $"    {Parameters(plan)}, {Names.Token} cancellationToken = default)";
        using (writer.Open(header))
        {
            Encode(plan);
            Operation(plan, "Awaited");
            writer.Lines($"{Names.Status} status = {EngineCall(plan)};");
            string result = plan.IsRead ? "operation.Result(status)" : "status";
            writer.Lines($"return status == {Names.Status}.Pending");
            writer.Lines("    ? operation.Pending!.WaitAsync(cancellationToken)");
            writer.Lines($"    : new {Names.Task(plan.Result)}({result});");
        }
    }

    private void ToDestination(OperationPlan plan)
    {
        const string type = "global::System.Buffers.IBufferWriter<byte>";
        writer.Lines("/// <summary>Reads a key into a writer. A pending read writes before it completes.</summary>");
        using (writer.Open($"public {Names.Status} Read({Parameters(plan)}, {type} destination)"))
        {
            Encode(plan);
            Operation(plan, form: null, "Destination = destination");
            writer.Lines($"return {EngineCall(plan)};");
        }

        writer.Lines("/// <summary>Reads a key into a writer; what is larger than a page piece by piece.</summary>");
        writer.Lines("/// <returns>Whether the key exists.</returns>");
        string header = $"public {Names.Task("bool")} ReadAsync(\n"
            + $"    {Parameters(plan)}, {type} destination, {Names.Token} cancellationToken = default)";
        using (writer.Open(header))
        {
            Encode(plan);
            Operation(plan, "Awaited", "Destination = destination");
            writer.Lines($"{Names.Status} status = {EngineCall(plan)};");
            writer.Lines($"return status == {Names.Status}.Pending");
            writer.Lines("    ? Found(operation.Pending!.WaitAsync(cancellationToken))");
            writer.Lines($"    : new {Names.Task("bool")}(status == {Names.Status}.Ok);");
            writer.Lines("");
            writer.Lines($"static async {Names.Task("bool")} Found({Names.Task(plan.Result)} pending) =>");
            writer.Lines("    (await pending.ConfigureAwait(false)).Found;");
        }
    }

    private void FromSequence(OperationPlan plan)
    {
        const string type = "global::System.Buffers.ReadOnlySequence<byte>";
        const string value = "The new value, of any length. It stays as it is until the task ends.";
        const string token = "Gives the operation up while a value that is larger than a page is being written.";
        writer.Lines($"/// <summary>{Subject(plan)}, from a sequence of any length.</summary>");
        writer.Lines("/// <param name=\"key\">The key.</param>");
        writer.Lines($"/// <param name=\"value\">{value}</param>");
        writer.Lines($"/// <param name=\"cancellationToken\">{token}</param>");
        string header = $"public {Names.Task(plan.Result)} {plan.Name}Async(\n"
            + $"    {KeyForms.ParameterType(store.Key)} key, {type} value, {Names.Token} cancellationToken = default)";
        using var _ = writer.Open(header);
        Encode(plan);
        string key = KeyForms.Engine(store.Key);
        writer.Lines($"return {Names.Contracts}.SequenceOperations.UpsertAsync(");
        writer.Lines($"    _session, {key}, value, cancellationToken);");
    }

    private void Batch(OperationPlan plan)
    {
        string operands = plan.Operand is { } o ? $", {Names.Span(o.BatchType!)} {o.Name}s" : "";
        string results = plan.IsRead ? $", global::System.Span<{plan.Result}> results" : "";
        writer.Lines($"/// <summary>{Subject(plan)}, for many keys at once; returns when all are done.</summary>");
        BatchDocs(plan);
        const string exception = "global::System.ArgumentException";
        writer.Lines($"/// <exception cref=\"{exception}\">The spans differ in length.</exception>");
        string header = $"public void {plan.Name}(\n"
            + $"    {Names.Span(KeyForms.BatchType(store.Key))} keys{operands}{results},\n"
            + "    long? serialNumber = null)";
        using var _ = writer.Open(header);
        if (plan.Operand is { } operand) Lengths($"{operand.Name}s");
        if (plan.IsRead) Lengths("results");
        var fields = new List<string> { "Keys = keys" };
        if (plan.Operand is { IsEncoded: false } plain) fields.Add($"{plain.Field}s = {plain.Name}s");
        if (UpsertBodies.HoldsNewValue(plan)) fields.Add("NewValues = values");
        if (plan.IsRead) fields.Add("Results = results");
        if (store.Key.IsEncoded)
        {
            EncodeKeys();
            fields.Add("EncodedKeys = encodedKeys");
        }

        if (plan.Operand is { IsEncoded: true })
        {
            EncodeValues(plan);
            fields.Add("Values = encodedValues");
        }

        writer.Lines($"{plan.Batch} batch = new {plan.Batch} {{ {string.Join(", ", fields)} }};");
        string arguments = $"{KeyForms.EngineType(store.Key)}, {plan.Struct}, {plan.Batch}";
        writer.Lines($"_session.{plan.Name}Batch<{arguments}>(ref batch, serialNumber);");
        writer.Lines($"batch.Pending.Collect({(plan.IsRead ? "results" : "default")});");
    }

    private void BatchDocs(OperationPlan plan)
    {
        writer.Lines("/// <param name=\"keys\">The keys.</param>");
        if (plan.Operand is { } operand)
        {
            string what = operand.Name == "input" ? "What the user functions are given" : "The new value";
            writer.Lines($"/// <param name=\"{operand.Name}s\">{what}, for each key.</param>");
        }

        if (plan.IsRead) writer.Lines("/// <param name=\"results\">Gets what was read, for each key.</param>");
        CommitEmitter.SerialNumberDocs(writer);
    }

    private void Lengths(string name) => writer.Lines(
        $"if ({name}.Length != keys.Length) throw new global::System.ArgumentException("
        + $"\"There must be as many {name} as keys.\", nameof({name}));");

    private void EncodeKeys()
    {
        const string type = Names.Contracts + ".EncodedBatch";
        writer.Lines($"using {type} encodedKeys = new {type}(keys.Length);");
        using var _ = writer.Open($"foreach ({store.Key.Type} key in keys)");
        writer.Lines($"{KeyForms.Codec(store.Key, "KeyCodec")}.Encode(key, encodedKeys.Buffer);");
        writer.Lines("encodedKeys.EndItem();");
    }

    private void EncodeValues(OperationPlan plan)
    {
        const string type = Names.Contracts + ".EncodedBatch";
        writer.Lines($"using {type} encodedValues = new {type}(keys.Length);");
        using var _ = writer.Open("for (int i = 0; i < values.Length; i++)");
        string key = store.Key.Kind == DataKind.Bytes ? "keys[i].Span" : "keys[i]";
        EncodeValue(plan, key, "values[i]", "encodedValues.Buffer");
        writer.Lines("encodedValues.EndItem();");
    }

    private string Parameters(OperationPlan plan)
    {
        string operand = plan.Operand is { } o ? $", {o.Type} {o.Name}" : "";
        return $"{KeyForms.ParameterType(store.Key)} key{operand}";
    }

    private void ParameterDocs(OperationPlan plan, bool hasContext)
    {
        writer.Lines("/// <param name=\"key\">The key.</param>");
        if (plan.Operand is { } operand)
        {
            string what = operand.Name == "input" ? "What the user functions are given." : "The new value.";
            writer.Lines($"/// <param name=\"{operand.Name}\">{what}</param>");
        }

        if (hasContext) writer.Lines("/// <param name=\"context\">What the completion callback is given.</param>");
    }

    // Turns what is not bytes already into bytes, in buffers of this thread.
    private void Encode(OperationPlan plan)
    {
        if (store.Key.IsEncoded)
        {
            writer.Lines($"using {Names.Scratch} keyBytes = {Names.Scratch}.Rent();");
            writer.Lines($"{KeyForms.Codec(store.Key, "KeyCodec")}.Encode(key, keyBytes.Buffer);");
        }

        if (plan.Operand is not { IsEncoded: true }) return;
        writer.Lines($"using {Names.Scratch} valueBytes = {Names.Scratch}.Rent();");
        EncodeValue(plan, "key", "value", "valueBytes.Buffer");
    }

    private void EncodeValue(OperationPlan plan, string key, string value, string destination)
    {
        string codec = KeyForms.Codec(store.Value, "ValueCodec");
        FunctionModel? single = store[FunctionKind.SingleWriter];
        if (single is not { IsRaw: false } || plan.Name != "Upsert")
        {
            writer.Lines($"{codec}.Encode({value}, {destination});");
            return;
        }

        writer.Lines($"{store.Value.Type} written = {(store.Value.Kind == DataKind.Text ? "\"\"" : "default!")};");
        writer.Lines(Calls.Of(store, single, (Role.Key, key), (Role.Source, value),
            (Role.Target, Calls.Forgiving("written", store.Value.IsReference))) + ";");
        writer.Lines($"{codec}.Encode(written, {destination});");
    }

    private void Operation(OperationPlan plan, string? form, string? more = null)
    {
        var fields = new List<string>();
        if (form is not null) fields.Add($"Form = {Names.Form}.{form}");
        if (plan.UsesKey && store.Key.Kind != DataKind.Bytes) fields.Add("Key = key");
        if (plan.Operand is { IsEncoded: true })
            fields.Add($"Value = new {Names.Pinned}(valueBytes.Buffer.WrittenMemory)");
        else if (plan.Operand is { IsSpan: false } operand) fields.Add($"{operand.Field} = {operand.Name}");
        if (UpsertBodies.HoldsNewValue(plan)) fields.Add("NewValue = value");
        if (more is not null) fields.Add(more);
        string initializer = fields.Count == 0 ? "();" : $" {{ {string.Join(", ", fields)} }};";
        writer.Lines($"{plan.Struct} operation = new {plan.Struct}{initializer}");
    }

    private string EngineCall(OperationPlan plan)
    {
        string key = KeyForms.Engine(store.Key);
        if (!plan.Borrows) return $"_session.{plan.Name}({key}, ref operation)";
        string keyBytes = plan.UsesKey && store.Key.Kind == DataKind.Bytes ? "key" : "default";
        string operand = plan.Operand?.AsBytes ?? "default";
        return $"{Names.Contracts}.SpanOperations.{plan.Name}(_session, {key}, {keyBytes}, {operand}, ref operation)";
    }

    private static string Nullable(OperandModel output) => output.IsReference ? output.Type + "?" : output.Type;

    private void Rest() => writer.Lines($$"""
        /// <summary>
        /// Continues operations of the status form whose disk reads are done, and calls their callbacks.
        /// </summary>
        /// <param name="wait">Whether to wait until none is pending any more.</param>
        /// <returns>Whether none is pending any more.</returns>
        public bool CompletePending(bool wait) => _session.CompletePending(wait);

        /// <summary>
        /// Waits until no operation of the status form is pending any more, and calls their callbacks.
        /// </summary>
        /// <param name="cancellationToken">Ends the waiting, not the operations.</param>
        public global::System.Threading.Tasks.ValueTask CompletePendingAsync(
            {{Names.Token}} cancellationToken = default) =>
            _session.CompletePendingAsync(cancellationToken);

        /// <summary>Waits for what is pending and ends the session.</summary>
        public void Dispose() => _session.Dispose();

        /// <summary>Waits for what is pending and ends the session.</summary>
        public global::System.Threading.Tasks.ValueTask DisposeAsync() => _session.DisposeAsync();
        """);
}
