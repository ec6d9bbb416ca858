using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes the figures of a store that counts what it does.</summary>
internal static class StatisticsEmitter
{
    public static void Emit(IndentedWriter writer, EngineModel engine)
    {
        writer.Lines("/// <summary>A snapshot of the store's counters and sizes.</summary>");
        writer.Lines($"public {engine.Statistics} Statistics => _engine.Statistics;");
        writer.Blank();
    }
}
