using Faster.Conformance.Engines.Latched;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Objects by text, whose transactions are decoded and encoded on both sides.</summary>
[Store(
    Engine = typeof(LatchedEngine), Also = [typeof(TransactionalEngine)], Key = typeof(string),
    SerializerContext = typeof(DocumentJson))]
public static partial class Documents
{
    [Transaction]
    private static bool Append(ref Document? document, [KeyOf(nameof(document))] string key, string line)
    {
        document ??= new Document { Lines = { key } };
        document.Lines.Add(line);
        return line.Length > 0;
    }

    [Transaction]
    private static void Join(ref Document? all, Records<Document?> parts, out int lines)
    {
        all ??= new Document();
        for (int i = 0; i < parts.Count; i++)
        {
            if (ReferenceEquals(parts[i], all)) continue; // the same record, as both see it
            all.Lines.AddRange(parts[i]?.Lines ?? []);
            parts[i] = null;
        }

        lines = all.Lines.Count;
    }

    [Transaction]
    private static bool Rename(Transaction<string, Document> all, string from, string to)
    {
        ReadResult<Document> old = all.ReadForWrite(from);
        if (old.Found) all.Write(to, old.Value);
        return all.Delete(from);
    }
}
