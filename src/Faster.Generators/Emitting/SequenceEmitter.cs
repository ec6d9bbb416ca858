using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes what a session has in an engine that takes values as sequences of any length.</summary>
internal static class SequenceEmitter
{
    public static void Emit(IndentedWriter writer, OperationPlan plan)
    {
        const string value = "The new value, of any length. It must not change until the task completes.";
        const string token = "Cancels the operation while a value larger than a page is being written.";
        writer.Lines($"/// <summary>{SessionMethods.Subject(plan)}, from a sequence of any length.</summary>");
        writer.Lines("/// <param name=\"key\">The key.</param>");
        writer.Lines($"/// <param name=\"value\">{value}</param>");
        writer.Lines($"/// <param name=\"cancellationToken\">{token}</param>");
        DataModel key = plan.Store.Key;
        using var _ = writer.Open("public " + SessionMethods.FromSequence(plan));
        if (key.IsEncoded)
        {
            writer.Lines($"using {Names.Scratch} keyBytes = {Names.Scratch}.Rent();");
            writer.Lines($"{KeyForms.Codec(key, "KeyCodec")}.Encode(key, keyBytes.Buffer);");
        }

        writer.Lines($"return base.UpsertAsync({KeyForms.Engine(key)}, value, cancellationToken);");
    }
}
