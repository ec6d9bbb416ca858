using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the session type, with each operation in its three forms.</summary>
internal sealed class SessionEmitter(IndentedWriter writer, StoreModel store)
{
    public void Emit()
    {
        EngineModel engine = store.Engine;
        writer.Lines("/// <summary>");
        string numbers = engine.Has(Capabilities.Commits) ? " with serial numbers" : "";
        writer.Lines(
            $"/// A logical client of a <see cref=\"{engine.StoreName}\"/>: a sequence of operations{numbers}.");
        writer.Lines("/// Not thread-safe: it may move between threads, but its calls must not overlap.");
        writer.Lines("/// </summary>");
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open(
            $"{store.Accessibility} sealed class {engine.SessionName} : {engine.Session}, ISession");
        writer.Lines($"internal {engine.SessionName}({engine.SessionStart} start) : base(start) {{ }}");
        writer.Blank();
        foreach (OperationPlan plan in OperationPlan.Of(store))
        {
            Status(plan);
            Async(plan);
            if (plan.HasDestination) ToDestination(plan);
            if (plan.TakesSequence) SequenceEmitter.Emit(writer, plan);
            if (plan.Operand is not { BatchType: null }) Batch(plan);
            if (plan.HasStatusBatch) Batch(plan, withStatuses: true);
            if (store.HasCommittingStore && engine.Has(Capabilities.Commits)) Unnumbered(plan);
        }

        foreach (TransactionPlan plan in TransactionPlan.Of(store)) new TransactionSessionEmitter(writer, plan).Emit();
        Prefetch();
    }

    private bool MayPend => store.Engine.Has(Capabilities.Pending);

    // Whether an awaited operation may complete after the call. Of an engine with transactions one that writes may, as
    // they do: when it is durable.
    private bool MayEndLate(OperationPlan plan) =>
        MayPend || (!plan.IsRead && store.Engine.Has(Capabilities.Transactions));

    private void Status(OperationPlan plan)
    {
        string subject = SessionMethods.Subject(plan);
        if (store.Context is not null)
        {
            writer.Lines($"/// <summary>{subject}. Passes no context to the callback.</summary>");
            string passed = plan.Output is null ? "" : ", out output";
            string operand = plan.Operand is { } o ? $", {o.Name}" : "";
            writer.Lines($"public {SessionMethods.StatusWithoutContext(plan)} =>");
            writer.Lines($"    {plan.Name}(key{operand}{passed}, default({store.Context.Type})!);");
            writer.Blank();
        }

        writer.Lines($"/// <summary>{subject}{(MayPend ? ", without waiting for the disk" : "")}.</summary>");
        if (plan.Output is not null)
        {
            string late = MayPend ? "; the default while the update is pending" : "";
            string what = plan.IsRead
                ? "The result of the read; the default unless the status is <c>Ok</c>."
                : $"The output of the updater whose value was stored{late}.";
            writer.Lines($"/// <param name=\"output\">{what}</param>");
            ParameterDocs(plan, hasContext: store.Context is not null);
        }

        Returns(plan);
        using (writer.Open("public " + SessionMethods.Status(plan)))
        {
            Encode(plan);
            Operation(plan, "Status", store.Context is null ? null : "Context = context");
            if (plan.Output is not { } output)
            {
                writer.Lines($"return {EngineCall(plan)};");
                return;
            }

            writer.Lines($"{Names.Status} status = {EngineCall(plan)};");
            // A reader has not run when a read goes pending; an updater may have, in vain.
            string late = $"status == {Names.Status}.Pending ? default({output.Type})! : operation.Output";
            writer.Lines($"output = {(plan.IsRmw && MayPend ? late : "operation.Output")};");
            writer.Lines("return status;");
        }
    }

    private void Returns(OperationPlan plan)
    {
        const string pending = "<c>Pending</c>, which <c>CompletePending</c> completes.";
        if (!plan.IsRmw)
        {
            string returns = MayPend ? $"<c>Ok</c>, <c>NotFound</c>, or {pending}" : "<c>Ok</c> or <c>NotFound</c>.";
            writer.Lines($"/// <returns>{returns}</returns>");
            return;
        }

        writer.Lines("/// <returns>");
        writer.Lines("/// <c>Created</c> if the key had no live record, <c>Ok</c> if its record was updated"
            + (MayPend ? "," : "."));
        if (MayPend) writer.Lines($"/// or {pending}");
        if (store.Merger is not null)
            writer.Lines("/// With a merger, <c>Ok</c> may also be a creation: a delta is appended without a look.");
        writer.Lines("/// </returns>");
    }

    private void Async(OperationPlan plan)
    {
        string speed = MayPend ? "; completes at once unless it waits for the disk"
            : MayEndLate(plan) ? "; completes when it is as durable as the store promises" : "; completes at once";
        writer.Lines($"/// <summary>{SessionMethods.Subject(plan)}{speed}.</summary>");
        ParameterDocs(plan, hasContext: false);
        writer.Lines("/// <param name=\"cancellationToken\">Cancels the wait, not the operation.</param>");
        using (writer.Open("public " + SessionMethods.Async(plan)))
        {
            Encode(plan);
            Operation(plan, "Awaited");
            writer.Lines($"{Names.Status} status = {EngineCall(plan)};");
            string result = plan.Output is null ? "status" : "operation.Result(status)";
            Await(
                plan, "operation.Form.Pending!.WaitAsync(cancellationToken)",
                $"new {Names.Task(plan.Result)}({result})");
        }
    }

    private void Await(OperationPlan plan, string pending, string done)
    {
        if (!MayEndLate(plan))
        {
            writer.Lines($"return {done};");
            return;
        }

        writer.Lines($"return status == {Names.Status}.Pending");
        writer.Lines($"    ? {pending}");
        writer.Lines($"    : {done};");
    }

    private void ToDestination(OperationPlan plan)
    {
        string late = MayPend ? " A pending read writes before it completes." : "";
        writer.Lines($"/// <summary>Reads a value into a writer.{late}</summary>");
        using (writer.Open("public " + SessionMethods.ToDestination(plan)))
        {
            Encode(plan);
            Operation(plan, "Status", "Destination = destination");
            writer.Lines($"return {EngineCall(plan)};");
        }

        string fragments = store.Engine.Has(Capabilities.Sequences) ? ", in fragments if it is larger than a page" : "";
        writer.Lines($"/// <summary>Reads a value into a writer{fragments}.</summary>");
        writer.Lines("/// <returns>Whether the key exists.</returns>");
        using (writer.Open("public " + SessionMethods.ToDestinationAsync(plan)))
        {
            Encode(plan);
            Operation(plan, "Awaited", "Destination = destination");
            writer.Lines($"{Names.Status} status = {EngineCall(plan)};");
            Await(
                plan, "Found(operation.Form.Pending!.WaitAsync(cancellationToken))",
                $"new {Names.Task("bool")}(status == {Names.Status}.Ok)");
            if (!MayPend) return;
            writer.Lines("");
            writer.Lines($"static async {Names.Task("bool")} Found({Names.Task(plan.Result)} pending) =>");
            writer.Lines("    (await pending.ConfigureAwait(false)).Found;");
        }
    }

    private void Batch(OperationPlan plan, bool withStatuses = false)
    {
        string subject = SessionMethods.Subject(plan);
        writer.Lines($"/// <summary>{subject}, for many keys; returns when all are done.</summary>");
        BatchDocs(plan, withStatuses);
        const string exception = "global::System.ArgumentException";
        writer.Lines($"/// <exception cref=\"{exception}\">The spans have different lengths.</exception>");
        using var _ = writer.Open(
            "public " + (withStatuses ? SessionMethods.StatusBatch(plan) : SessionMethods.Batch(plan)));
        if (plan.Operand is { } operand) Lengths($"{operand.Name}s");
        if (plan.Output is not null) Lengths("results");
        if (withStatuses) Lengths("statuses");
        var fields = new List<string> { "Keys = keys" };
        if (plan.Operand is { IsEncoded: false } plain) fields.Add($"{plain.Field}s = {plain.Name}s");
        if (UpsertBodies.HoldsNewValue(plan)) fields.Add("NewValues = values");
        if (plan.Output is not null) fields.Add("Results = results");
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

        string made = $"new {plan.Batch} {{ {string.Join(", ", fields)} }}";
        string type = withStatuses ? plan.StatusBatch : plan.Batch;
        if (withStatuses) made = $"new {type}\n{{\n    Batch = {made},\n    Statuses = statuses,\n}}";
        writer.Lines($"{type} batch = {made};");
        string arguments = $"{KeyForms.EngineType(store.Key)}, {plan.In("Batched")}, {type}";
        string number = store.Engine.Has(Capabilities.Commits) ? ", serialNumber" : "";
        writer.Lines($"base.{plan.Name}Batch<{arguments}>(\n    ref batch{number});");
        if (!MayPend) return;
        string results = plan.Output is not null ? "results" : withStatuses ? "statuses" : "default";
        writer.Lines($"batch.{(withStatuses ? "Batch." : "")}Pending.Collect({results});");
    }

    // The batches of the interface, which have no serial number where other engines of the class do not commit.
    private void Unnumbered(OperationPlan plan)
    {
        if (plan.Operand is { BatchType: null }) return;
        string operand = plan.Operand is { } o ? $", {o.Name}s" : "";
        string results = plan.Output is null ? "" : ", results";
        writer.Lines($"void ISession.{SessionMethods.Batch(plan, isNumbered: false).Substring("void ".Length)} =>");
        writer.Lines($"    {plan.Name}(keys{operand}{results}, null);");
        writer.Blank();
        if (!plan.HasStatusBatch) return;
        string statuses = SessionMethods.StatusBatch(plan, isNumbered: false).Substring("void ".Length);
        writer.Lines($"void ISession.{statuses} =>");
        writer.Lines($"    {plan.Name}(keys{operand}, statuses, null);");
        writer.Blank();
    }

    private void BatchDocs(OperationPlan plan, bool withStatuses)
    {
        writer.Lines("/// <param name=\"keys\">The keys, one for each operation.</param>");
        if (plan.Operand is { } operand)
        {
            string what = operand.Name == "input" ? "The input of the user functions" : "The new value";
            writer.Lines($"/// <param name=\"{operand.Name}s\">{what}, for each key.</param>");
        }

        if (plan.Output is not null)
            writer.Lines("/// <param name=\"results\">Receives the result for each key.</param>");
        if (withStatuses)
            writer.Lines("/// <param name=\"statuses\">Receives the status for each key, never pending.</param>");
        if (!store.Engine.Has(Capabilities.Commits)) return;
        const string number = "One for all, of which a commit then has all or nothing; null: one each.";
        writer.Lines($"/// <param name=\"serialNumber\">{number}</param>");
    }

    private void Lengths(string name) => writer.Lines(
        $"{Names.Contracts}.BatchLength.ThrowIfOther({name}.Length, keys.Length, \"{name}\");");

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

    private void ParameterDocs(OperationPlan plan, bool hasContext)
    {
        writer.Lines("/// <param name=\"key\">The key.</param>");
        if (plan.Operand is { } operand)
        {
            string what = operand.Name == "input" ? "The input of the user functions." : "The new value.";
            writer.Lines($"/// <param name=\"{operand.Name}\">{what}</param>");
        }

        if (hasContext) writer.Lines("/// <param name=\"context\">Passed to the completion callback.</param>");
    }

    private void Prefetch()
    {
        writer.Lines("""
            /// <summary>
            /// Announces an operation on a key that comes soon, some five to ten calls later, so that it need not wait
            /// for memory. A hint: it has no effect on results, throws nothing, and fetches nothing from disk.
            /// </summary>
            /// <param name="key">The key; it need not exist, and no operation need follow.</param>
            """);
        using var _ = writer.Open("public " + SessionMethods.Prefetch(store.Key));
        EncodeKey();
        writer.Lines($"base.Prefetch({KeyForms.Engine(store.Key)});");
    }

    // Encodes what is not in bytes already, into buffers of the current thread.
    private void Encode(OperationPlan plan)
    {
        EncodeKey();
        if (plan.Operand is not { IsEncoded: true }) return;
        writer.Lines($"using {Names.Scratch} valueBytes = {Names.Scratch}.Rent();");
        EncodeValue(plan, "key", "value", "valueBytes.Buffer");
    }

    private void EncodeKey()
    {
        if (!store.Key.IsEncoded) return;
        writer.Lines($"using {Names.Scratch} keyBytes = {Names.Scratch}.Rent();");
        writer.Lines($"{KeyForms.Codec(store.Key, "KeyCodec")}.Encode(key, keyBytes.Buffer);");
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

    private void Operation(OperationPlan plan, string form, string? more = null)
    {
        var fields = new List<string>();
        if (plan.UsesKey && store.Key.Kind != DataKind.Bytes) fields.Add("Key = key");
        if (plan.Operand is { IsEncoded: true })
            fields.Add($"Value = new {Names.Pinned}(valueBytes.Buffer.WrittenMemory)");
        else if (plan.Operand is { IsSpan: false } operand) fields.Add($"{operand.Field} = {operand.Name}");
        if (UpsertBodies.HoldsNewValue(plan)) fields.Add("NewValue = value");
        if (more is not null) fields.Add(more);
        string initializer = fields.Count == 0 ? "" : $" {{ {string.Join(", ", fields)} }}";
        writer.Lines($"{plan.In(form)} operation = new(){initializer};");
    }

    private string EngineCall(OperationPlan plan)
    {
        string key = KeyForms.Engine(store.Key);
        if (!plan.Borrows) return $"base.{plan.Name}({key}, ref operation)";
        string keyBytes = plan.UsesKey && store.Key.Kind == DataKind.Bytes ? "key" : "default";
        string operand = plan.Operand?.AsBytes ?? "default";
        return $"base.{plan.Name}({key}, {keyBytes}, {operand}, ref operation)";
    }
}
